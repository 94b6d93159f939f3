//! Tasks: safe code that is compiled once per set of instructions.

use super::Simd;

/// A computation with [`Simd`] primitives that is compiled once per kernel. It is written with [`task!`], which makes
/// sure that it is inlined. Code that is not inlined into the function with the instructions is compiled without
/// them.
pub(crate) trait Task {
    type Output;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Writes the code of a [`Task`]: `task! { impl['a, T: Bound] Name<'a, T> => Output, |task, simd: S| { ... } }`. `S`
/// is the type of the primitives.
macro_rules! task {
    (impl[$($generics:tt)*] $name:ty => $output:ty, |$($task:ident)+, $simd:tt: $primitives:ident| $body:block) => {
        impl<$($generics)*> $crate::arch::Task for $name {
            type Output = $output;

            #[inline(always)]
            fn run<$primitives: $crate::arch::Simd>(self, $simd: $primitives) -> $output {
                let $($task)+ = self;
                $body
            }
        }
    };
}
pub(crate) use task;
