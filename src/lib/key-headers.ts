/** Names of the header that carries an API key: of the specification (000, part 5), and of the public service. */
export const keyHeaders = { specified: 'x-service-api-key', public: 'x-glacier-api-key' } as const
