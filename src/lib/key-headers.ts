/** Names of the header that carries an API key: in the specification (000, part 5), and at the public service. */
export const keyHeaders = { specified: 'x-service-api-key', public: 'x-glacier-api-key' } as const
