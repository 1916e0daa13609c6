import assert from 'node:assert/strict'
import type { ServiceRequest } from './channel-stand-ins.ts'

/** What the receiver of a message sees of the texts in which strangers chose words. */
export interface Shown {
  title: string
  body: string
  /** Links, mentions, tags and commands that its program makes of them. */
  acting: string[]
}

/** What chat and mail programs make of text without markup, by the rules of Telegram's, which finds the most. */
const FOUND_IN_TEXT = [
  /[a-z][a-z\d+-]*:\/\/\S/giu,
  /[^\s.]\.(?:[a-z]{2,}|xn--[\w-]+)/giu,
  /\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/gu,
  /(?<![\p{L}\p{N}_])@\w{2,}/gu,
  /[\w.+-]+@[\w-]+/gu,
  /#[\p{N}_]*\p{L}/gu,
  /(?<![\p{L}\p{N}_$])\$[A-Z]{1,8}(?![\p{L}\p{N}_$])/gu,
  /(?<![\p{L}\p{N}_/<>])\/\w/gu,
]
const actingIn = (text: string): string[] => FOUND_IN_TEXT.flatMap((rule) => text.match(rule) ?? [])

const shown = (title: string, body: string): Shown => ({
  title,
  body,
  acting: [...actingIn(title), ...actingIn(body)],
})

interface TelegramMessage {
  text: string
  entities: { type: string; offset: number; length: number }[]
  parse_mode?: string
  link_preview_options: { is_disabled: boolean }
  reply_markup?: { inline_keyboard: Record<string, string>[][] }
}

export const telegramMessage = ({ body }: ServiceRequest) => JSON.parse(body) as TelegramMessage

export function readTelegram(request: ServiceRequest, link: string): Shown {
  const { text, entities, parse_mode: mode, link_preview_options: previews } = telegramMessage(request)
  assert.deepEqual([mode, previews, entities.length], [undefined, { is_disabled: true }, 1])
  const [{ type, offset, length }] = entities as [TelegramMessage['entities'][0]]
  assert.deepEqual([type, offset], ['bold', 0])
  const rest = text.slice(length)
  assert.ok(rest === '' || rest.startsWith('\n'), 'the title alone is bold')
  const body = rest.endsWith(`\n${link}`) ? rest.slice(0, -link.length) : rest
  return shown(text.slice(0, length), body.trim())
}

export function readNtfy({ headers, body }: ServiceRequest): Shown {
  const { title, message, ...rest } = JSON.parse(body) as Record<string, string>
  assert.ok(!('markdown' in rest) && !('actions' in rest) && !('x-markdown' in headers))
  return shown(title!, message === title ? '' : message!)
}

/** As Discord's client splits it: inside of a block of code nothing is found. */
const CODE_BLOCK = /```(?:[a-z0-9_+\-.#]+?\n)?\n*([^\n][^]*?)\n*```/i

export function readDiscord({ body }: ServiceRequest, link: string): Shown {
  const { content } = JSON.parse(body) as { content: string }
  const [block, code] = CODE_BLOCK.exec(content)!
  assert.equal(content.replace(block, ''), `\n<${link}>`)
  assert.ok(content.startsWith('```\n'), 'the first line names no language')
  const [title = '', ...lines] = code!.split('\n')
  return { title, body: lines.join('\n'), acting: [] }
}

interface SlackBlock {
  type: string
  text: { type: string; text: string; emoji: boolean }
  elements?: unknown[]
}

export function readSlack(request: ServiceRequest, link: string): Shown {
  const { text, blocks, ...rest } = JSON.parse(request.body) as { text: string; blocks: SlackBlock[] }
  assert.deepEqual(rest, { mrkdwn: false, unfurl_links: false, unfurl_media: false })
  const last = blocks.pop()!
  assert.deepEqual(last.elements, [{ type: 'mrkdwn', verbatim: true, text: `<${link}|Open>` }])
  for (const {
    text: { type, emoji },
  } of blocks)
    assert.deepEqual([type, emoji], ['plain_text', false])
  const [title, body = ''] = blocks.map(({ text: { text } }) => text)
  assert.doesNotMatch(text, /[<>]|&(?!(?:amp|lt|gt);)/)
  const fallback = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  assert.equal(fallback, [title, body].filter(Boolean).join('\n'))
  return shown(title!, body)
}

export function readWebhook({ body }: ServiceRequest, link: string): Shown {
  const { data } = JSON.parse(body) as { data: { title: string; body: string; url: string } }
  assert.equal(data.url, link)
  // A program gets data, in which nothing is a link.
  return { title: data.title, body: data.body, acting: [] }
}

const LETTER_HEADERS = new Set(
  'from to subject message-id date mime-version content-type content-transfer-encoding'.split(' '),
)

/** RFC 5322, 2045, 2047. */
export function readMail(letter: string, link: string): Shown {
  const at = letter.indexOf('\r\n\r\n')
  const lines = letter
    .slice(0, at)
    .replaceAll(/\r\n[ \t]/g, ' ')
    .split('\r\n')
  const headers = new Map(lines.map((line) => line.match(/^([\w-]+): ?(.*)$/)!.slice(1) as [string, string]))
  for (const name of headers.keys()) assert.ok(LETTER_HEADERS.has(name.toLowerCase()), name)
  assert.equal(headers.size, lines.length)
  const raw = letter.slice(at + 4).replaceAll(/^\.\./gm, '.')
  const text = decode(headers.get('Content-Transfer-Encoding')!, raw).replaceAll('\r\n', '\n').trimEnd()
  assert.ok(text.endsWith(link))
  return shown(decodedWords(headers.get('Subject')!), text.slice(0, -link.length).trim())
}

function decode(encoding: string, text: string): string {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString()
  return encoding === 'quoted-printable' ? fromQuoted(text.replaceAll(/=\r\n/g, '')) : text
}

const fromQuoted = (text: string): string =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()

function decodedWords(text: string): string {
  const words = text.replaceAll(/\?=\s+=\?/g, '?==?').matchAll(/=\?utf-8\?([bq])\?([^?]*)\?=|([^=]+|=)/gi)
  const bytes = [...words].map(([, encoding, word, plain]) => {
    if (plain !== undefined) return Buffer.from(plain)
    if (encoding!.toLowerCase() === 'b') return Buffer.from(word!, 'base64')
    return Buffer.from(fromQuoted(word!.replaceAll('_', ' ')))
  })
  return Buffer.concat(bytes).toString()
}
