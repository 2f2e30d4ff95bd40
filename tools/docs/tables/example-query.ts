/** An example query on a table or view: what it answers, and its SQL, which runs on the lake of the demo. */
export type ExampleQuery = { readonly says: string; readonly sql: string }

/** Example queries by table or view. */
export type ExampleQueries = Readonly<Record<string, ExampleQuery>>
