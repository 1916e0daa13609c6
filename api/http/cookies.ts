import type { ApiContext } from './context.ts'
import { ownPages } from './cached-answer.ts'

export interface CookieJar {
  keep(name: string, value: string, seconds: number): void
  remove(name: string): void
}

export interface CookieDoor {
  jarOf(ctx: ApiContext): CookieJar | null
  read(ctx: ApiContext, name: string): string | null
}

/** `__Host-` limits cookies to this exact host, not to its port. */
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

export const readCookie = (ctx: ApiContext, name: string): string | null =>
  [hostOnly(name), name].map((each) => ctx.cookies.get(each)).find(Boolean) ?? null

const hostOnly = (name: string): string => `__Host-${name}`
