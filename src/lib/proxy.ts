import http from 'node:http'
import https from 'node:https'
import { BlockList, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import { buildConnector } from 'undici'
import { ConfigError, TransportError } from '../errors.ts'
import { proxyVariables } from './proxy-variables.ts'
import { percentDecoded } from './text.ts'

/** A proxy on the way to services. */
type Proxy = {
  readonly url: URL
  /** Host and port, for messages: the URL may hold a password. */
  readonly name: string
  /** The header for the proxy; null without a user. */
  readonly authorization: string | null
}

/** How requests to an origin reach it through a proxy. */
export type Route = {
  /** The origin to connect to. */
  readonly origin: string
  /** What comes before the path in each request. */
  readonly prefix: string
  readonly headers: Readonly<Record<string, string>>
  readonly connect: buildConnector.connector
  /** The error of an answer that comes from the proxy itself; null for others. */
  readonly refusal: (status: number) => TransportError | null
}

/**
 * The proxy that `HTTP_PROXY` or `HTTPS_PROXY` names for a URL; null without one, for this machine, and for what `NO_PROXY` excepts.
 *
 * @throws ConfigError `config.proxy`.
 */
export function proxyFor(target: string, env: NodeJS.ProcessEnv = process.env): Proxy | null {
  const { protocol, hostname, port } = new URL(target)
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const names = protocol === 'https:' ? proxyVariables['https:'] : proxyVariables['http:']
  const name = names.find((each) => (env[each] ?? '') !== '')
  if (name === undefined || isThisMachine(host)) return null
  const excepted = (env['no_proxy'] ?? '') === '' ? env['NO_PROXY'] : env['no_proxy']
  const portOf = port === '' ? (protocol === 'https:' ? '443' : '80') : port
  if (isExcepted(host, portOf, excepted ?? '')) return null
  return parseProxy(name, (env[name] ?? '').trim())
}

function parseProxy(variable: string, text: string): Proxy {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(full) ? new URL(full) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new ConfigError(`${variable} does not name an HTTP proxy.`, {
      code: 'config.proxy',
      hint: `Set ${variable} to a URL such as http://proxy.example:3128, or unset it. SOCKS proxies are not supported.`,
    })
  const login = [url.username, url.password].map(percentDecoded).join(':')
  return {
    url,
    name: url.host,
    authorization: login === ':' ? null : `Basic ${Buffer.from(login).toString('base64')}`,
  }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

function isThisMachine(host: string): boolean {
  return /^(.*\.)?localhost$/i.test(host) || isWithin(loopback, host)
}

function isWithin(list: BlockList, host: string): boolean {
  const family = isIP(host)
  return family !== 0 && list.check(host, family === 6 ? 'ipv6' : 'ipv4')
}

/** Whether `NO_PROXY` excepts a host: by its name, a suffix of it, an address, a network such as `10.0.0.0/8`, or `*`; also with a port. */
function isExcepted(host: string, port: string, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter((item) => item !== '')
    .some((item) => {
      if (item === '*') return true
      const [, bracketed, plain, itemPort] = /^(?:\[(.+)\]|([^:]+|.*:.*:.*?))(?::(\d+))?$/.exec(item) ?? []
      const name = (bracketed ?? plain ?? item).toLowerCase()
      if (itemPort !== undefined && itemPort !== port) return false
      const [network = '', bits] = name.split('/')
      const family = isIP(network)
      if (family !== 0) return isInNetwork(host, network, bits, family)
      const suffix = name.replace(/^\*?\./, '').replace(/\.$/, '')
      const known = host.toLowerCase()
      return known === suffix || known.endsWith(`.${suffix}`)
    })
}

function isInNetwork(host: string, network: string, bits: string | undefined, family: number): boolean {
  const most = family === 6 ? 128 : 32
  const prefix = bits === undefined ? most : Number(bits)
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > most) return false
  const within = new BlockList()
  within.addSubnet(network, prefix, family === 6 ? 'ipv6' : 'ipv4')
  return isWithin(within, host)
}

/**
 * The route to an origin; null without a proxy. Requests by plain HTTP name their whole URL to the proxy, which many proxies demand for other
 * ports than 443; those by TLS go through a tunnel.
 */
export function routeTo(origin: string, timeoutMs: number): Route | null {
  const proxy = proxyFor(origin)
  if (proxy === null) return null
  if (origin.startsWith('https:'))
    return { origin, prefix: '', headers: {}, connect: tunnelTo(proxy, timeoutMs), refusal: () => null }
  return {
    origin: proxy.url.origin,
    prefix: origin,
    headers: {
      host: new URL(origin).host,
      ...(proxy.authorization === null ? {} : { 'proxy-authorization': proxy.authorization }),
    },
    refusal: (status) => (status === 407 ? refusal(proxy, new URL(origin).host, status) : null),
    connect: namingProxy(proxy, buildConnector({ timeout: timeoutMs, allowH2: false })),
  }
}

/** Connects to the target through a tunnel of the proxy that its URL has, or directly. */
export function connectorTo(origin: string, timeoutMs: number): buildConnector.connector {
  const proxy = proxyFor(origin)
  return proxy === null ? buildConnector({ timeout: timeoutMs, allowH2: false }) : tunnelTo(proxy, timeoutMs)
}

function tunnelTo(proxy: Proxy, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false })
  return (options, done) => {
    const isTls = options.protocol === 'https:'
    openTunnel(proxy, { host: options.hostname, port: options.port || (isTls ? '443' : '80'), timeoutMs }).then(
      (socket) => {
        if (isTls) connect({ ...options, httpSocket: socket }, done)
        else done(null, socket)
      },
      (error: Error) => done(error, null),
    )
  }
}

/** Errors of the connection to a proxy name the proxy, not the service. */
function namingProxy(proxy: Proxy, connect: buildConnector.connector): buildConnector.connector {
  return (options, done) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) done(unreachable(proxy, error), null)
      else done(null, socket)
    })
}

type TunnelTarget = { readonly host: string; readonly port: string; readonly timeoutMs: number }

function openTunnel(proxy: Proxy, { host, port, timeoutMs }: TunnelTarget): Promise<Socket> {
  const { url, authorization } = proxy
  const target = `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port || (url.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: target,
      agent: false,
      timeout: timeoutMs,
      headers: { host: target, ...(authorization === null ? {} : { 'proxy-authorization': authorization }) },
    })
    request.once('timeout', () => request.destroy(new Error('it did not answer in time')))
    request.once('error', (error) => reject(unreachable(proxy, error)))
    const refused = ({ statusCode = 0 }: http.IncomingMessage): void => reject(refusal(proxy, target, statusCode))
    request.once('response', (answer) => {
      refused(answer)
      request.destroy()
    })
    request.once('connect', (answer, socket) => {
      if (answer.statusCode === 200) {
        socket.setTimeout(0)
        resolve(socket as Socket)
        return
      }
      refused(answer)
      socket.destroy()
    })
    request.end()
  })
}

function unreachable({ name }: Proxy, cause: Error): TransportError {
  if (cause instanceof TransportError) return cause
  return new TransportError(`The proxy ${name} cannot be used: ${cause.message}.`, {
    code: 'transport.proxy',
    hint: 'HTTP_PROXY or HTTPS_PROXY names this proxy. Check that it runs, or except the host of the service with NO_PROXY.',
    cause,
  })
}

function refusal({ name }: Proxy, target: string, status: number): TransportError {
  return new TransportError(`The proxy ${name} refused a connection to ${target} with HTTP ${status}.`, {
    code: 'transport.proxy',
    kind: status >= 500 ? 'transient' : 'lasting',
    details: { status },
    hint:
      status === 407
        ? 'The proxy wants a user and a password: put them into its URL, in HTTP_PROXY or HTTPS_PROXY.'
        : 'Let the proxy allow this host and port, or except the host with NO_PROXY.',
  })
}

/** Agents for a client that uses the modules of Node.js, such as the SDK of AWS. */
export function proxyAgents(timeoutMs: number): { readonly httpAgent: http.Agent; readonly httpsAgent: https.Agent } {
  const throughProxy = (scheme: string, options: AgentOptions, made: Made): boolean => {
    const [host, port] = [String(options.host), String(options.port)]
    const proxy = proxyFor(`${scheme}//${isIP(host) === 6 ? `[${host}]` : host}:${port}`)
    if (proxy === null) return false
    const toTls = (socket: Socket) => tls.connect({ ...options, socket, servername: options.servername ?? host })
    openTunnel(proxy, { host, port, timeoutMs }).then(
      (socket) => made(null, scheme === 'https:' ? toTls(socket) : socket),
      (error: Error) => (made as (error: Error) => void)(error),
    )
    return true
  }
  const settings = { keepAlive: true, maxSockets: 50 }
  const [httpAgent, httpsAgent] = [new http.Agent(settings), new https.Agent(settings)]
  const proxied = (scheme: string, agent: ConnectingAgent): void => {
    const usual = agent.createConnection.bind(agent)
    agent.createConnection = (options, made) => (throughProxy(scheme, options, made) ? undefined : usual(options, made))
  }
  proxied('http:', httpAgent as unknown as ConnectingAgent)
  proxied('https:', httpsAgent as unknown as ConnectingAgent)
  return { httpAgent, httpsAgent }
}

type Made = (error: Error | null, socket: Duplex) => void

/** The hook of Node.js that makes the connections of an agent. */
type ConnectingAgent = { createConnection(options: AgentOptions, made: Made): Duplex | undefined }

type AgentOptions = tls.ConnectionOptions & { readonly host?: string; readonly port?: number }
