import { namesThisMachine } from '#domain/host-name.ts'
import type { ApiContext } from './context.ts'
import { isOnThisMachine } from './this-machine.ts'

/** Whether a browser tells that a page of this service is the sender. */
export type IsOwnPage = (ctx: ApiContext) => boolean

/** Of `Sec-Fetch-Site`: same origin, and an address that a person opened; empty from other programs. */
const SITES_OF_OURS: readonly string[] = ['', 'same-origin', 'none']

/** Whether a browser tells that a page of another site, port or name is the sender. */
export const isFromElsewhere = (ctx: ApiContext): boolean =>
  !SITES_OF_OURS.includes(ctx.get('Sec-Fetch-Site'))

/** A proxy may pass on another host, so the public address counts, or this machine's at the very port. */
export function ownPages(publicUrl: string): IsOwnPage {
  const own = new URL(publicUrl).origin
  const isHere = isOnThisMachine(publicUrl)
  return (ctx) => {
    if (isFromElsewhere(ctx)) return false
    const from = ctx.get('Origin')
    return from === own || (isHere && namesThisMachine(ctx.host) && from === `${ctx.protocol}://${ctx.host}`)
  }
}
