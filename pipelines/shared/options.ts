/** Options of pipelines, which are flags of the command line too: by name, what each does. */
export const optionComments = {
  raw: 'Also write the raw containers to the table containers.',
  senders: 'Also write the senders of EVM transactions, recovered from their signatures, to the table c_senders.',
} as const

export type OptionName = keyof typeof optionComments
export const optionNames = Object.keys(optionComments) as OptionName[]
