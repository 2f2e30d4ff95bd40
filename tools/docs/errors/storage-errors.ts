import type { ErrorFacts } from './error-fact.ts'

/** Failures of disks and buckets, and damaged data. */
export const storageErrors: ErrorFacts = {
  'as-of.files': [
    6,
    'Files of the earlier snapshot are missing.',
    'Choose a later snapshot; `chainlake verify` checks the current one.',
  ],
  storage: [5, 'The disk or the object store refused.', 'Follow the hint and run again; committed data is safe.'],
  'storage.bucket': [5, 'The bucket does not exist.', 'Check `--data` and `--s3-endpoint`, or create the bucket.'],
  'storage.certificate': [
    5,
    'The certificate of `verify` cannot be written.',
    'Name a file in a folder that you may write to.',
  ],
  'storage.clock': [5, 'The clock of this machine differs too much from that of S3.', 'Set the clock (NTP).'],
  'storage.closed': [5, 'The thread that writes files was closed.', 'Run again; report it if it comes back.'],
  'storage.connection': [5, 'S3 cannot be reached.', 'Check the network and `--s3-endpoint`, then run again.'],
  'storage.copy': [
    5,
    'The copy of the catalog cannot be written.',
    'Choose a folder that this user may write to, on a disk with free space.',
  ],
  'storage.credentials': [
    5,
    'The credentials for S3 are missing or wrong.',
    'Give them as for AWS tools, never in chainlake.yaml.',
  ],
  'storage.denied': [
    5,
    'S3 denies access.',
    'Grant ListBucket and GetObject; to write also PutObject, DeleteObject and AbortMultipartUpload.',
  ],
  'storage.devnet-cache': [
    5,
    'The simulated network cannot be kept in its cache.',
    'Free some space, or name another folder for the cache.',
  ],
  'storage.digest': [5, 'A file that was just written has other bytes on disk.', 'Check the disk.'],
  'storage.eexist': [5, 'A file with the name of a new part already exists.', 'Run again, which gives a new name.'],
  'storage.eio': [5, 'The disk reported an error.', 'Check the disk; committed data is not touched.'],
  'storage.emfile': [5, 'The process has too many open files.', 'Raise the limit (ulimit -n), and run again.'],
  'storage.locks': [
    5,
    'The file system of the lake has no locks.',
    'Mount it with locks, or give the lake a folder on a local disk.',
  ],
  'storage.encoder': [5, 'The Parquet encoder failed.', 'Run again; report it if it comes back.'],
  'storage.enfile': [5, 'The machine has too many open files.', 'Raise the limit of the system, and run again.'],
  'storage.enotdir': [5, 'A file is where a folder should be.', 'Move the file away, or name another lake.'],
  'storage.full': [
    5,
    'The disk is full, its quota is used up, or the file may not become that large.',
    'Free some space, and run again: it resumes from the last commit.',
  ],
  'storage.iceberg': [
    5,
    'The Iceberg metadata could not be written.',
    'Check free space and permissions of the folder iceberg, and publish again.',
  ],
  'storage.inodes': [
    5,
    'The file system has no free inodes.',
    'Remove files, or move the lake to another file system (`df -i` shows them).',
  ],
  'storage.list': [5, 'Folders under data/ cannot be listed.', 'Let the user that runs chainlake read them.'],
  'storage.lookup': [
    5,
    'The files of a table could not be read to compare rows.',
    'Check disk space, memory and permissions, then run again.',
  ],
  'storage.max-download': [
    5,
    'A query or merge would download more than `--max-download`.',
    'Read less, or raise the limit.',
  ],
  'storage.not-a-folder': [5, 'The path of the lake is a file.', 'Name another path.'],
  'storage.output': [
    5,
    'The answer of a query, or the output of a command, cannot be written.',
    'Check free space and permissions of the folder.',
  ],
  'storage.package': [
    2,
    'The packages for S3 are not installed.',
    'Install them next to chainlake: `npm install @aws-sdk/client-s3@3 @aws-sdk/lib-storage@3`.',
  ],
  'storage.parquet': [
    5,
    'A written file is no whole Parquet file of its table.',
    'Run again; report it if it comes back.',
  ],
  'storage.parquet-folder': [
    5,
    'The tables could not be published as Parquet files.',
    'The folder needs free space, write permission and symbolic links; then publish again.',
  ],
  'storage.range': [
    5,
    'S3 returned another range than requested.',
    'Run again; a proxy may not support range requests.',
  ],
  'storage.read': [
    5,
    'A file of the lake cannot be read, or a query ran out of memory.',
    'Select less at once; if the lake was moved, run `chainlake views`.',
  ],
  'storage.read-only': [
    5,
    'The lake cannot be written: the file system or a file is read-only, or belongs to another user.',
    'Use a folder that this user may write to.',
  ],
  'storage.region': [
    5,
    'The bucket is in another region.',
    'Set `--s3-region`; for a service other than AWS also `--s3-endpoint`.',
  ],
  'storage.report': [5, 'The report could not be written.', 'Check free space and permissions, or name another file.'],
  'storage.s3': [5, 'S3 rejected a request for another reason.', 'See the message of S3; committed data is safe.'],
  'storage.slow-down': [5, 'S3 throttles requests or has an internal error.', 'Run again later.'],
  'storage.space': [
    5,
    'The disk has too little space for what the command would write.',
    'Free space, or export a part of the range.',
  ],
  'storage.upload': [
    5,
    'An uploaded object differs from its file.',
    'Run again; if it comes back, something between this machine and S3 changes data.',
  ],
  'storage.views': [
    5,
    'The views or the published catalog cannot be read or written.',
    'Run `chainlake views`; check permissions of the folder.',
  ],
  verify: [
    6,
    'Data in the lake is wrong or missing.',
    'Run `chainlake verify`, then `chainlake repair` and the job again.',
  ],
  'verify.damaged': [
    6,
    'A data file differs from what was written.',
    'Run `chainlake repair`, then the job again; see [a damaged disk](../how-to/damaged-disk.md).',
  ],
  'verify.files': [
    6,
    'Data files are missing or have other sizes.',
    'Run `chainlake repair`, then the job again; see [a damaged disk](../how-to/damaged-disk.md).',
  ],
  'verify.merged': [
    6,
    'Merged files do not contain the rows of their sources. Nothing was replaced.',
    'Report it: this is a bug.',
  ],
  'verify.missing': [6, 'A data file is missing.', 'Restore it, or run `chainlake repair` and the job again.'],
  'verify.rewritten': [
    6,
    'A rewritten file does not contain the rows of its source. Nothing was published.',
    'Report it: this is a bug.',
  ],
}
