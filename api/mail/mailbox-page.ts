import { isSameHash } from '../access/access-token.ts'
import { ApiError } from '../http/errors.ts'
import { hashOpaqueSecret } from '../access/opaque-secret.ts'
import { RouteList } from '../http/route-list.ts'
import type { Mailbox, StoredMail } from './mailbox.ts'
import { isFromThisMachine } from './this-machine.ts'

/** A mailbox that this machine may look at, and what its page is opened by. */
export interface OpenMailbox {
  mailbox: Mailbox
  secret: string
}

/** The address of the page, to be given to the person at this machine only. */
export const mailboxAddress = (origin: string, secret: string): string => `${origin}/mailbox?secret=${secret}`

/**
 * A page with the messages that would have been sent, for the person at this machine only; not found by anybody else.
 * Their links open accounts. Where a request comes from does not tell enough: a proxy on this machine may look exactly
 * like its person. So it is the secret that protects, and all else comes on top.
 */
export function mailboxPage({ mailbox, secret }: OpenMailbox): RouteList {
  const routes = new RouteList()
  const expected = hashOpaqueSecret(secret)
  routes.get('/mailbox', async (ctx) => {
    const given = hashOpaqueSecret(String(ctx.query['secret'] ?? ''))
    if (!isFromThisMachine(ctx) || !isSameHash(given, expected)) throw new ApiError('NOT_FOUND')
    const mails = await mailbox.list()
    ctx.type = 'html'
    ctx.set(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    )
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.body = page(mails)
  })
  return routes
}

const page = (mails: StoredMail[]): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Mailbox</title>
<style>body{font:16px/1.5 system-ui;max-width:48rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap}</style>
<h1>Mailbox</h1>
<p>No mail server is set (<code>SMTP_URL</code>): this is what would have been sent.</p>
${mails.length === 0 ? '<p>Nothing so far.</p>' : mails.map(message).join('\n')}
</html>`

const message = ({ at, to, subject, text }: StoredMail): string =>
  `<article><h2>${escape(subject)}</h2><p>${escape(at)} to ${escape(to)}</p><pre>${linked(text)}</pre></article>`

/** Only addresses of ours become links: the whole line, as our messages write them. */
const linked = (text: string): string =>
  text
    .split('\n')
    .map((line) =>
      /^https?:\/\/\S+$/.test(line) ? `<a href="${escape(line)}">${escape(line)}</a>` : escape(line),
    )
    .join('\n')

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!)
