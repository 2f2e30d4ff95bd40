/** Values of rows that answers do not state: the network, and the `subject` in the table observations. */
export type NodePlace = { readonly network: string; readonly subject: string }

/** The place of rows about a subnet. */
export type SubnetPlace = NodePlace & { readonly subnetId: string }

/** The place of rows about a chain. */
export type ChainPlace = NodePlace & { readonly blockchainId: string }
