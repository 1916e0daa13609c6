import { namesThisMachine } from '#domain/host-name.ts'
import { BlockList, isIPv6 } from 'node:net'
import type { ApiContext } from './context.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** The headers that proxies add to a request that they pass on. */
const TRACE_OF_A_PROXY = /^(forwarded|via|x-forwarded(-.*)?|x-real-ip|x-client-ip|true-client-ip|cf-.*)$/

/** Whether people reach the service on this machine only, by what it is configured with. */
export const isOnThisMachine = (publicUrl: string): boolean => namesThisMachine(new URL(publicUrl).host)

/** Whether a proxy has left a trace in a request. */
export const hasPassedProxy = (ctx: ApiContext): boolean =>
  Object.keys(ctx.headers).some((name) => TRACE_OF_A_PROXY.test(name))

/**
 * The connection comes from this machine, and no proxy on it has left a trace. The host is compared too: a name of
 * somebody else's that points here must not let their page read along. A proxy that leaves no trace and rewrites the
 * host, as nginx does unless it is told otherwise, looks like this machine all the same.
 */
export function isFromThisMachine(ctx: ApiContext): boolean {
  const peer = (ctx.req.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  return (
    peer !== '' &&
    loopback.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4') &&
    !hasPassedProxy(ctx) &&
    namesThisMachine(ctx.host)
  )
}
