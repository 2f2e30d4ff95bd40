/** The hint for missing or damaged files of the lake. */
export const lostFilesHint =
  "Bring the files back from a copy of the lake's folder data/. If there is none: chainlake repair takes them out of the lake, and the next run fetches their rows again."
