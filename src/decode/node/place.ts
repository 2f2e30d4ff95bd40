/** What rows of an observation have and answers do not say: the network, and what the subject is called in the table observations. */
export type NodePlace = { readonly network: string; readonly subject: string }

/** Something of a subnet. */
export type SubnetPlace = NodePlace & { readonly subnetId: string }

/** Something of a chain. */
export type ChainPlace = NodePlace & { readonly blockchainId: string }
