import type { ApiContext } from './context.ts'
import { ownPages } from './own-page.ts'

export interface CookieJar {
  keep(name: string, value: string, seconds: number): void
  remove(name: string): void
}

export interface CookieDoor {
  /** Null unless a page of ours has sent JSON: browsers take cookies from answers to forms of other sites as
   * well. */
  jarOf(ctx: ApiContext): CookieJar | null
  read(ctx: ApiContext, name: string): string | null
}

/** Over HTTPS the names have the prefix `__Host-`: browsers take such a cookie only from this very host, send
 * it over TLS only, and ask for the path `/`. Cookies do not tell ports apart: every port of the host is
 * sent all of them. */
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

/** Over HTTPS or plain HTTP: only for cookies that give no authority. */
export const readCookie = (ctx: ApiContext, name: string): string | null =>
  [hostOnly(name), name].map((each) => ctx.cookies.get(each)).find(Boolean) ?? null

const hostOnly = (name: string): string => `__Host-${name}`
