/** Versions of the virtual machines that the node reports. */
export const vmVersions = { avm: 'v1.14.2', evm: 'v0.15.4', platform: 'v1.14.2' } as const
