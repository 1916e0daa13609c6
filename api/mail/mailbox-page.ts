import { randomUUID } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { mintOpaqueSecret, hashOpaqueSecret } from '../access/access-jwt.ts'
import { anyone } from '../access/policy.ts'
import { isSameHash } from '../http/access-token.ts'
import { ApiError } from '#contract/errors.ts'
import { route, WRITTEN } from '../route/route.ts'
import type { Mailbox, StoredMail } from './mail.ts'
import { isFromThisMachine } from '../http/server.ts'
import { mailboxEndpoints } from '#contract/service.ts'

export const mailboxSecretFile = (mailboxFile: string): string => `${mailboxFile}.secret`

export async function readOrMakeMailboxSecret(mailboxFile: string): Promise<string> {
  const file = mailboxSecretFile(mailboxFile)
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, mintOpaqueSecret().text, { mode: 0o600 })
  try {
    await link(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await rm(draft)
  }
  await chmod(file, 0o600)
  const secret = (await readFile(file, 'utf8')).trim()
  if (secret === '') throw new Error(`${file} is empty: remove it, and the next start makes another`)
  return secret
}

export interface OpenMailbox {
  mailbox: Mailbox
  secret: string
}

export const mailboxAddress = (origin: string, secret: string): string => `${origin}/mailbox?secret=${secret}`

interface MailboxDeps {
  openMailbox: OpenMailbox | null
}

/** Links open accounts. A proxy may look like this machine, so the secret protects. */
export const mailboxRoute = route(mailboxEndpoints['GET /mailbox'], {
  access: anyone('default'),
  run: async ({ query, http }, { openMailbox }: MailboxDeps) => {
    const isOpened =
      openMailbox !== null &&
      isFromThisMachine(http) &&
      isSameHash(
        hashOpaqueSecret(typeof query.secret === 'string' ? query.secret : ''),
        hashOpaqueSecret(openMailbox.secret),
      )
    if (!isOpened) throw new ApiError('NOT_FOUND')
    const mails = await openMailbox.mailbox.list()
    http.type = 'html'
    http.set(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    )
    http.set('Referrer-Policy', 'no-referrer')
    http.body = page(mails)
    return WRITTEN
  },
})

const page = (mails: StoredMail[]): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Mailbox</title>
<style>body{font:16px/1.5 system-ui;max-width:48rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap}</style>
<h1>Mailbox</h1>
<p>No mail server is set (<code>SMTP_URL</code>): this is what would have been sent.</p>
${mails.length === 0 ? '<p>Nothing so far.</p>' : mails.map(message).join('\n')}
</html>`

const message = ({ at, to, subject, text }: StoredMail): string =>
  `<article><h2>${escape(subject)}</h2><p>${escape(at)} to ${escape(to)}</p><pre>${linked(text)}</pre></article>`

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
