//! `name:name,born:date,title=name,city` -> which fields are compared, and as what.

use crate::kind::Kind;

/// A field that is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedField {
    /// The names that it has in the sources; the first one is its name here.
    pub names: Vec<String>,
    /// What its values are, if that was told.
    pub kind: Option<Kind>,
}

/// The fields as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldsWritten {
    /// The fields, in their order.
    pub fields: Vec<WantedField>,
}

impl std::fmt::Display for FieldsWritten {
    /// As it is read.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, field) in self.fields.iter().enumerate() {
            let (comma, names) = (if at == 0 { "" } else { "," }, field.names.join("="));
            match field.kind {
                Some(kind) => write!(f, "{comma}{names}:{}", kind.as_str())?,
                None => write!(f, "{comma}{names}")?,
            }
        }
        Ok(())
    }
}

impl std::str::FromStr for FieldsWritten {
    type Err = String;

    /// Reads fields, separated by commas: `NAME`, `NAME:TYPE`, and `NAME=OTHER` where another table has another name.
    fn from_str(written: &str) -> Result<Self, String> {
        let mut fields: Vec<WantedField> = Vec::new();
        for field in written.split(',').map(str::trim) {
            let (names, kind) = match field.rsplit_once(':') {
                Some((names, kind)) => {
                    let known = Kind::ALL.iter().find(|(name, _)| *name == kind.trim());
                    let Some((_, kind)) = known else {
                        let all: Vec<&str> = Kind::ALL.iter().map(|(name, _)| *name).collect();
                        return Err(format!(
                            "`{kind}` is not a type of fields; there are {}",
                            all.join(", ")
                        ));
                    };
                    (names, Some(*kind))
                }
                None => (field, None),
            };
            let names: Vec<String> = names.split('=').map(|name| name.trim().to_owned()).collect();
            if names.iter().any(String::is_empty) {
                return Err(format!("`{field}` has no name; write NAME, NAME:TYPE or NAME=OTHER"));
            }
            if let Some(twice) =
                names.iter().find(|name| fields.iter().any(|field| field.names.contains(name)))
            {
                return Err(format!("the field `{twice}` is given twice"));
            }
            fields.push(WantedField { names, kind });
        }
        Ok(Self { fields })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_names_other_names_and_types() {
        let read: FieldsWritten = "title=name, born:date,a.b=c:phone".parse().unwrap();
        let field = |names: &[&str], kind| WantedField {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            kind,
        };
        let wanted = [
            field(&["title", "name"], None),
            field(&["born"], Some(Kind::Date)),
            field(&["a.b", "c"], Some(Kind::Phone)),
        ];
        assert_eq!(read.fields, wanted);
        assert_eq!(read.to_string(), "title=name,born:date,a.b=c:phone");
        for wrong in ["", "a,,b", "a:colour", "a=", "a,b=a"] {
            assert!(wrong.parse::<FieldsWritten>().is_err(), "{wrong}");
        }
    }
}
