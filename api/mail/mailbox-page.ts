import { BlockList, isIPv6 } from 'node:net'
import type { ApiContext } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { Mailbox, StoredMail } from './mailbox.ts'
import { RouteList } from '../route-list.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** A page with the messages that would have been sent, for the person at this machine only. */
export function mailboxPage(mailbox: Mailbox): RouteList {
  const routes = new RouteList()
  routes.get('/mailbox', async (ctx) => {
    if (!isFromThisMachine(ctx)) throw new ApiError('NOT_FOUND')
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

/**
 * The connection comes from this machine, and not through a proxy on it. The host is compared too: a name of
 * somebody else's that points here must not let their page read along.
 */
function isFromThisMachine(ctx: ApiContext): boolean {
  const peer = (ctx.req.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  const isForwarded = ['X-Forwarded-For', 'Forwarded', 'Via'].some((header) => ctx.get(header) !== '')
  return (
    peer !== '' &&
    loopback.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4') &&
    !isForwarded &&
    LOCAL_HOST.test(ctx.host)
  )
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
