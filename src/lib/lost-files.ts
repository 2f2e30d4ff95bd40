/** What to do about files of the lake that are missing or damaged, whoever meets them. */
export const lostFilesHint =
  "Bring the files back from a copy of the lake's folder data/. If there is none: chainlake restore a backup of before they were written, and run again; what they held is fetched anew."
