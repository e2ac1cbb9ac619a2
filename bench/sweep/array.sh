#!/bin/sh
# The batch script of a sweep (bench/sweep/slurm.py): one task of the array is one cell.
# $1 cell.py, $2 the sweep's folder, $3 the cell of task 0.
exec python3 -B "$1" "$2" "$((SLURM_ARRAY_TASK_ID + $3))"
