/** What to do about files of the lake that are missing or damaged, whoever meets them. */
export const lostFilesHint =
  "Bring the files back from a copy of the lake's folder data/. If there is none: chainlake repair takes them out of the lake, and the next run fetches what they held anew."
