"""Spark: one partition for each task. spark-submit --py-files chainlake_tasks.py spark_tasks.py [job ...]"""

import sys

from pyspark.sql import SparkSession

import chainlake_tasks

# spark.task.maxFailures says how often Spark tries a failed task again.
spark = SparkSession.builder.appName("chainlake").config("spark.task.maxFailures", "5").getOrCreate()

jobs = sys.argv[1:] or ["--all"]
while jobs:
    tasks, jobs = chainlake_tasks.plan(jobs)
    if tasks:
        for line in spark.sparkContext.parallelize(tasks, len(tasks)).map(chainlake_tasks.run).collect():
            print(line, end="")
chainlake_tasks.publish()
