/** A step of a path into an answer: a field, with `each` if the path continues in each element of its list. */
type PathStep = { readonly name: string; readonly each: boolean }

/** The steps of a path such as `owner.address` or `tags[].name`; null for a text that is no such path, or has several lists. */
export function pathSteps(path: string): PathStep[] | null {
  const steps = path.split('.').map((text): PathStep | null => {
    const name = /^([^[\]]+)(\[\])?$/.exec(text)
    return name === null ? null : { name: name[1] as string, each: name[2] !== undefined }
  })
  const whole = steps.filter((step) => step !== null)
  return whole.length < steps.length || whole.filter(({ each }) => each).length > 1 ? null : whole
}

/** Whether a text is a path to one value, such as `blocks[0].number`. */
export function isValuePath(path: string): boolean {
  return path.split('.').every((text) => /^[^[\]]+(?:\[\d+\])*$/.test(text))
}

/** The value at such a path; undefined where there is none. */
export function valueAt(json: unknown, path: string): unknown {
  let value = json
  for (const name of path.split(/[.[\]]+/).filter((text) => text !== ''))
    value = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  return value ?? undefined
}
