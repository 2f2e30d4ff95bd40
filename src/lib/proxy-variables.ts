/** The variables that name proxies, the first that is set counts. curl reads the same ones. */
export const proxyVariables = {
  'http:': ['http_proxy', 'HTTP_PROXY'],
  'https:': ['https_proxy', 'HTTPS_PROXY'],
} as const

/** Whether a variable names a proxy. Only then `proxy.ts` is loaded. */
export function namesProxy(env: NodeJS.ProcessEnv = process.env): boolean {
  return Object.values(proxyVariables).some((names) => names.some((name) => (env[name] ?? '') !== ''))
}
