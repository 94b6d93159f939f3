//! The sets of instructions of x86-64.

/// The first line of the file of a kernel, with its list of CPU features. From the list the macro makes
/// `is_available`, which tells whether the CPU has all of them; `run`, which compiles a task for them; and the macro
/// `compiled!`, which compiles functions with intrinsics for them.
macro_rules! instruction_set {
    ($d:tt $simd:ident: $($feature:tt),+) => {
        pub(super) fn is_available() -> bool {
            $(is_x86_feature_detected!($feature))&&+
        }

        #[target_feature($(enable = $feature),+)]
        pub(super) fn run<T: $crate::arch::Task>(task: T) -> T::Output {
            task.run($simd::new())
        }

        /// Compiles these functions for the features of this kernel and inlines them where they are called.
        macro_rules! compiled {
            ($d(#[$d meta:meta])* unsafe fn $d name:ident($d($d arguments:tt)*) $d body:block) => {
                $d(#[$d meta])*
                #[target_feature($(enable = $feature),+)]
                #[inline]
                unsafe fn $d name($d($d arguments)*) $d body
            };
            ($d($d(#[$d meta:meta])* $d vis:vis fn $d name:ident($d($d arguments:tt)*) $d(-> $d output:ty)? $d body:block)*) => {
                $d(
                    $d(#[$d meta])*
                    #[target_feature($(enable = $feature),+)]
                    #[inline]
                    $d vis fn $d name($d($d arguments)*) $d(-> $d output)? $d body
                )*
            };
        }
    };
}

mod avx2;
mod avx512;

use super::Task;

/// A set of instructions beyond those that every CPU has, the smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Set {
    Avx2,
    Avx512,
}

impl Set {
    pub(super) const ALL: [Self; 2] = [Self::Avx2, Self::Avx512];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    pub(super) fn is_available(self) -> bool {
        match self {
            Self::Avx2 => avx2::is_available(),
            Self::Avx512 => avx512::is_available(),
        }
    }

    /// # Safety
    ///
    /// The set must be available.
    #[inline]
    pub(super) unsafe fn run<T: Task>(self, task: T) -> T::Output {
        // SAFETY: the caller knows that the CPU has the instructions.
        unsafe {
            match self {
                Self::Avx2 => avx2::run(task),
                Self::Avx512 => avx512::run(task),
            }
        }
    }
}
