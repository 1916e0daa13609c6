import { namesThisMachine } from '#domain/host-name.ts'
import type { ApiContext } from './context.ts'
import { isOnThisMachine } from './this-machine.ts'

/** Whether a request comes from a page of this service, as browsers tell it; never so for other senders. */
export type IsOwnPage = (ctx: ApiContext) => boolean

/** The header of browsers for a page of the same origin, and of a person who opens an address; the header is empty otherwise. */
const SITES_OF_OURS: readonly string[] = ['', 'same-origin', 'none']

/** Whether a browser tells that a page of another origin is the sender: of another site, or beside ours on another port or name. */
export const isFromElsewhere = (ctx: ApiContext): boolean =>
  !SITES_OF_OURS.includes(ctx.get('Sec-Fetch-Site'))

/**
 * Tells our pages by the address at which people reach the service, whatever host a request names: a proxy may pass on
 * another one. Where that is this machine, its other names are ours as well, but only from a page at the very name and port
 * that is asked: at `localhost` something else may listen than at 127.0.0.1.
 *
 * @param publicUrl where people reach the service
 */
export function ownPages(publicUrl: string): IsOwnPage {
  const own = new URL(publicUrl).origin
  const isHere = isOnThisMachine(publicUrl)
  return (ctx) => {
    if (isFromElsewhere(ctx)) return false
    const from = ctx.get('Origin')
    return from === own || (isHere && namesThisMachine(ctx.host) && from === `${ctx.protocol}://${ctx.host}`)
  }
}
