const loneSurrogate = /\p{Surrogate}/u

/** Whether a text has no lone surrogate. A lone surrogate has no bytes in UTF-8, and an encoder would replace it. */
export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text)
}
