import type { ApiContext } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { SESSION_DAYS } from './session-commands.ts'

const DAY = 24 * 60 * 60 * 1_000

/** The cookie in which a browser keeps the refresh token, out of reach of scripts. */
export interface RefreshCookie {
  set(ctx: ApiContext, refreshToken: string): void
  clear(ctx: ApiContext): void
  /**
   * The token in the cookie; null without one. Throws ORIGIN_REFUSED when the request comes from a page of
   * another site: browsers send cookies along with those too.
   */
  read(ctx: ApiContext): string | null
}

/**
 * Over HTTPS the cookie's name has the prefix `__Host-`, with which browsers take it only from this very host
 * and send it only over TLS; it asks for the path `/`. Plain HTTP serves the embedded default on one machine.
 */
export function refreshCookie(publicUrl: string): RefreshCookie {
  const isSecure = new URL(publicUrl).protocol === 'https:'
  const name = isSecure ? '__Host-dt-refresh' : 'dt-refresh'
  const write = (ctx: ApiContext, value: string, maxAge: number): void => {
    ctx.cookies.secure = isSecure
    ctx.cookies.set(name, value, {
      httpOnly: true,
      secure: isSecure,
      sameSite: 'strict',
      path: '/',
      maxAge,
      overwrite: true,
    })
  }
  return {
    set: (ctx, refreshToken) => write(ctx, refreshToken, SESSION_DAYS * DAY),
    clear: (ctx) => write(ctx, '', 0),
    read(ctx) {
      const token = ctx.cookies.get(name)
      if (token === undefined || token === '') return null
      const from = ctx.get('Origin')
      const isOurs = from === new URL(publicUrl).origin || from === `${ctx.protocol}://${ctx.host}`
      // A form of another site can send text/plain; JSON it cannot without being asked for permission first.
      if (!isOurs || ctx.is('application/json') === false) throw new ApiError('ORIGIN_REFUSED')
      return token
    },
  }
}
