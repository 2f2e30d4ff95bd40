/** The shape of a JSON value: names in their order, and whether texts are numbers, hex, addresses or ids. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])]
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).map(([name, entry]) => [name, shapeOf(entry)])
  return typeof value === 'string' ? textShape(value) : typeof value
}

function textShape(text: string): string {
  if (/^\d+$/.test(text)) return 'digits'
  if (/^\d+\.\d{4}$/.test(text)) return 'four places'
  if (/^0x[0-9a-f]*$/.test(text)) return 'hex'
  if (/^[PXC]-/.test(text)) return 'address'
  if (/^NodeID-/.test(text)) return 'node id'
  return /^[1-9A-HJ-NP-Za-km-z]{40,52}$/.test(text) ? 'id' : 'text'
}
