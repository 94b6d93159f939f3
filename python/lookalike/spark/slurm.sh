#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --mem=64G
#
# Starts Spark's own master and workers inside an allocation of Slurm, runs a command with them, and ends them:
#
#     sbatch $(python -m lookalike.spark slurm) python -m lookalike.spark dedup 'in/*.parquet' -o out --threshold 0.8
#
# All nodes need the same Python environment (a shared folder) and must reach inputs, outputs and the checkpoint by the same paths. The
# command must not name a master. Half of the memory of a node is left for the kernels, which work outside the JVM. What can be set:
# LOOKALIKE_WORKER_MEMORY (1024m) and LOOKALIKE_EXECUTOR_MEMORY, of the JVM on each node; LOOKALIKE_MASTER_HOST; LOOKALIKE_WORKERS_SECONDS,
# how long is waited for the workers.

set -euo pipefail
[ $# -gt 0 ] || { echo "usage: $0 COMMAND [ARGUMENT...]" >&2; exit 2; }

nodes=${SLURM_JOB_NUM_NODES:?this script runs inside an allocation of Slurm: start it with sbatch}
cores=${SLURM_CPUS_PER_TASK:-1}
memory=${LOOKALIKE_WORKER_MEMORY:-$((${SLURM_MEM_PER_NODE:-8192} / 2))m}
host=${LOOKALIKE_MASTER_HOST:-$(hostname)}
folder=$(mktemp -d "${TMPDIR:-/tmp}/lookalike-spark-XXXXXX")
home=$(python -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
port=$(python -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
export SPARK_NO_DAEMONIZE=1 PYSPARK_PYTHON=${PYSPARK_PYTHON:-$(command -v python)}

"$home/bin/spark-class" org.apache.spark.deploy.master.Master --host "$host" --port "$port" --webui-port 0 > "$folder/master" 2>&1 &
master=$!
# Each worker has a folder of its own on its node, which Spark removes nothing from.
srun --nodes="$nodes" --ntasks="$nodes" --ntasks-per-node=1 --cpus-per-task="$cores" \
    "$home/bin/spark-class" org.apache.spark.deploy.worker.Worker --webui-port 0 --cores "$cores" --memory "$memory" \
    --work-dir "$folder/work" "spark://$host:$port" > "$folder/workers" 2>&1 &
workers=$!

finish() {
    kill "$workers" "$master" 2> /dev/null || true
    wait "$workers" "$master" 2> /dev/null || true
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 143' TERM

for _ in $(seq "${LOOKALIKE_WORKERS_SECONDS:-120}"); do
    registered=$(grep -c 'Registering worker' "$folder/master" || true)
    [ "$registered" -lt "$nodes" ] || break
    kill -0 "$master" 2> /dev/null && kill -0 "$workers" 2> /dev/null || break
    sleep 1
done
if [ "$registered" -lt "$nodes" ]; then
    echo "error: only $registered of $nodes workers of Spark came up; what they said:" >&2
    tail -n 20 "$folder/master" "$folder/workers" >&2
    exit 1
fi

# PySpark reads this when the command makes its session.
export PYSPARK_SUBMIT_ARGS="--master spark://$host:$port --conf spark.executor.memory=${LOOKALIKE_EXECUTOR_MEMORY:-$memory} pyspark-shell"
"$@"
