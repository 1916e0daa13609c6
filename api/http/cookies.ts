import type { ApiContext } from './context.ts'
import { ownPages } from './own-page.ts'

/** Writes cookies into the answer to a page of ours. */
export interface CookieJar {
  /** Has the browser keep a value out of reach of scripts. */
  keep(name: string, value: string, seconds: number): void
  /** Has the browser forget it. */
  remove(name: string): void
}

/** The one door to cookies. */
export interface CookieDoor {
  /**
   * The jar of a request by which a page of ours has sent JSON; null for all others. Browsers take cookies from answers to
   * forms of other sites as well, and to whatever else a page elsewhere has them ask.
   */
  jarOf(ctx: ApiContext): CookieJar | null
  /** The cookie that a browser has kept under a name; null without it. */
  read(ctx: ApiContext, name: string): string | null
}

/**
 * Over HTTPS the names have the prefix `__Host-`, with which browsers take a cookie only from this very host and send
 * it only over TLS; it asks for the path `/`. Plain HTTP serves the embedded default on one machine. Neither tells ports
 * apart: every port of the host is sent all of them.
 */
export function createCookieDoor(publicUrl: string): CookieDoor {
  const isSecure = new URL(publicUrl).protocol === 'https:'
  const isOwnPage = ownPages(publicUrl)
  const fullName = (name: string): string => (isSecure ? hostOnly(name) : name)
  return {
    jarOf(ctx) {
      if (!isOwnPage(ctx) || ctx.is('application/json') !== 'application/json') return null
      const write = (name: string, value: string, seconds: number): void => {
        ctx.cookies.secure = isSecure
        ctx.cookies.set(fullName(name), value, {
          httpOnly: true,
          secure: isSecure,
          sameSite: 'strict',
          path: '/',
          maxAge: seconds * 1_000,
          overwrite: true,
        })
      }
      return { keep: write, remove: (name) => write(name, '', 0) }
    },
    read: (ctx, name) => ctx.cookies.get(fullName(name)) || null,
  }
}

/** The cookie that a browser has kept under a name over HTTPS or plain HTTP; for cookies that give no authority. */
export const readCookie = (ctx: ApiContext, name: string): string | null =>
  [hostOnly(name), name].map((each) => ctx.cookies.get(each)).find(Boolean) ?? null

const hostOnly = (name: string): string => `__Host-${name}`
