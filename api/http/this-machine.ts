import { namesThisMachine } from '#domain/host-name.ts'
import { BlockList, isIPv6 } from 'node:net'
import type { ApiContext } from './context.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const TRACE_OF_A_PROXY = /^(forwarded|via|x-forwarded(-.*)?|x-real-ip|x-client-ip|true-client-ip|cf-.*)$/

/** By the configuration: people reach the service on this machine only. */
export const isOnThisMachine = (publicUrl: string): boolean => namesThisMachine(new URL(publicUrl).host)

export const hasPassedProxy = (ctx: ApiContext): boolean =>
  Object.keys(ctx.headers).some((name) => TRACE_OF_A_PROXY.test(name))

/** Compares the host too, which may point here. A proxy without headers that rewrites it cannot be told. */
export function isFromThisMachine(ctx: ApiContext): boolean {
  const peer = (ctx.req.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  return (
    peer !== '' &&
    loopback.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4') &&
    !hasPassedProxy(ctx) &&
    namesThisMachine(ctx.host)
  )
}
