//! The record suite under criterion: the same functions that the tables are printed from.

use criterion::{Criterion, criterion_group, criterion_main};
use zap_bench::record::{self, Op};

fn record(criterion: &mut Criterion) {
    record::check().expect("every codec returns the same values");
    for op in Op::ALL {
        let mut group = criterion.benchmark_group(op.name());
        for mut bench in record::benches(op) {
            group.bench_function(bench.codec, |bencher| bencher.iter_custom(|iterations| bench.time(iterations)));
        }
        group.finish();
    }
}

criterion_group!(benches, record);
criterion_main!(benches);
