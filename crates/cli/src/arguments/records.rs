//! What is told about records: fields, a model, rules.

use clap::Args;
use records::run::FieldsWritten;
use std::path::PathBuf;

/// Records with fields, in place of texts.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Records")]
pub(crate) struct Recording {
    /// With --kind records: the fields that are compared, with their types where they should not be guessed, and with other
    /// names that they have in another table: name:name,born:date,title=name,city. Types: name, text, address, place, code,
    /// number, date, phone, mail, category
    #[arg(long, value_name = "FIELDS", value_parser = |written: &str| written.parse::<FieldsWritten>())]
    pub(crate) fields: Option<FieldsWritten>,
    /// With --kind records: use the weights, the fields and the bands of this model.json, instead of learning them
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// With --kind records: compare only records that agree in all of these fields, as in surname+postcode. May be given
    /// several times: a pair is compared if one of them agrees
    #[arg(long, value_name = "FIELD+FIELD")]
    pub(crate) block: Vec<String>,
}

/// How many partners a record may have in the other table, and what a person said.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Records")]
pub(crate) struct Partners {
    /// With --kind records and two tables: no record has more than one partner, the best
    #[arg(long, conflicts_with = "one_to_many")]
    pub(crate) one_to_one: bool,
    /// With --kind records and two tables: a record of the inputs has at most one partner, the best; a record of --against
    /// may have several
    #[arg(long)]
    pub(crate) one_to_many: bool,
    /// With --kind records: pairs that were judged with `lookalike label`, by which all probabilities are corrected
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
}

impl Recording {
    /// A flag that was given, and is for records only.
    pub(crate) fn flag(&self, partners: &Partners) -> Option<&'static str> {
        let given = [
            (self.fields.is_some(), "--fields"),
            (self.model.is_some(), "--model"),
            (!self.block.is_empty(), "--block"),
            (partners.one_to_one, "--one-to-one"),
            (partners.one_to_many, "--one-to-many"),
            (partners.labels.is_some(), "--labels"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, flag)| flag)
    }
}
