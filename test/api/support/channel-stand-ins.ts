import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** A request as it came to a service. */
export interface ServiceRequest {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/**
 * How a service that knows the message fails: too many requests, the receiver is gone, an answer that looks like success and
 * is none, a fault of its own, a receiver that is elsewhere, no answer at all.
 */
export type ServiceFault = 'limited' | 'gone' | 'silent' | 'broken' | 'moved' | 'mute'

interface Answer {
  status: number
  headers?: Record<string, string>
  body: string | object
}

interface ServiceRules {
  /** Of its documentation; throws what it finds wrong with a request. */
  take(request: ServiceRequest, secrets: readonly string[]): Answer
  /** Names the path, which holds secrets, where a service's text is free. */
  faults(path: string): Partial<Record<ServiceFault, Answer>>
}

/** A request that its service would not take. */
class NotTaken extends Error {}

function require(isRight: unknown, what: string): void {
  if (!isRight) throw new NotTaken(what)
}

type Json = Record<string, unknown>
const jsonOf = ({ headers, body }: ServiceRequest): Json => {
  require(headers['content-type'] === 'application/json', 'the type of the body')
  return JSON.parse(body) as Json
}
const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= most && value.isWellFormed()

/** Bot API: sendMessage, MessageEntity, InlineKeyboardButton, ResponseParameters. */
const telegram: ServiceRules = {
  take(request) {
    const { chat_id: chat, text, entities, reply_markup: markup } = jsonOf(request)
    require(typeof chat === 'string' && isText(text, 4_096), 'chat and text')
    for (const { offset, length } of entities as { offset: number; length: number }[])
      require(offset >= 0 &&
        length > 0 &&
        offset + length <= (text as string).length, 'the place of an entity')
    const rows = (markup as { inline_keyboard: Json[][] } | undefined)?.inline_keyboard ?? []
    for (const button of rows.flat()) {
      const isLink = typeof button['url'] === 'string' && button['url'].startsWith('https:')
      require(isLink || Buffer.byteLength(button['callback_data'] as string) <= 64, 'a button')
    }
    return { status: 200, body: { ok: true, result: { message_id: 1 } } }
  },
  faults: (path) => ({
    limited: refusedByTelegram(429, 'Too Many Requests: retry after 7', { retry_after: 7 }),
    gone: refusedByTelegram(403, 'Forbidden: bot was blocked by the user'),
    moved: refusedByTelegram(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: -1001234567890,
    }),
    silent: { ...refusedByTelegram(500, 'Internal Server Error'), status: 200 },
    broken: refusedByTelegram(502, `Bad Gateway at ${path}`),
  }),
}

const refusedByTelegram = (status: number, description: string, parameters?: object): Answer => ({
  status,
  body: { ok: false, error_code: status, description, parameters },
})

const ntfy: ServiceRules = {
  take(request) {
    const { topic, title, message, priority, tags, click, sequence_id: sequence } = jsonOf(request)
    require(/^[\w-]{1,64}$/.test(topic as string) && isText(title, 1_000), 'topic and title')
    require(isText(message, 4_096) && Buffer.byteLength(message) <= 4_096, 'a message that is no attachment')
    require(Buffer.byteLength(request.body) <= 2 * 4_096, 'a body within the limit')
    require([1, 2, 3, 4, 5].includes(priority as number) && Array.isArray(tags), 'priority and tags')
    require(URL.canParse(click as string) && /^[\w-]{1,64}$/.test(sequence as string), 'link and sequence')
    return { status: 200, body: { id: 'hwQ2YpKdmg', event: 'message', topic } }
  },
  faults: (path) => ({
    limited: {
      status: 429,
      headers: { 'retry-after': '5' },
      body: { code: 42901, error: 'limit reached: too many requests' },
    },
    gone: { status: 404, body: { code: 40401, error: 'page not found' } },
    silent: { status: 200, body: '<html>Sign in</html>' },
    broken: { status: 507, body: { code: 50701, error: `cannot publish at ${path}` } },
  }),
}

/** Webhook resource: execute webhook. */
const discord: ServiceRules = {
  take(request) {
    const { content, allowed_mentions: mentions, flags } = jsonOf(request)
    const { searchParams: query } = new URL(request.path, 'http://discord')
    require(isText(content, 2_000) && flags === 4, 'content and flags')
    require(JSON.stringify(mentions) === '{"parse":[]}', 'mentions')
    return query.get('wait') === 'true'
      ? { status: 200, body: { id: '1234567890', content } }
      : { status: 204, body: '' }
  },
  faults: (path) => ({
    limited: {
      status: 429,
      body: { message: 'You are being rate limited.', retry_after: 0.45, global: false },
    },
    gone: { status: 404, body: { message: 'Unknown Webhook', code: 10015 } },
    silent: { status: 200, body: '' },
    broken: { status: 500, body: { message: `500: Internal Server Error at ${path}`, code: 0 } },
  }),
}

/** Incoming webhooks; text objects; header and section blocks. */
const slack: ServiceRules = {
  take(request) {
    const { text, blocks } = jsonOf(request)
    require(isText(text, 40_000), 'text')
    for (const { type, text: shown } of blocks as { type: string; text?: { text: string } }[])
      require(type === 'context' || isText(shown?.text, type === 'header' ? 150 : 3_000), `a block ${type}`)
    return { status: 200, body: 'ok' }
  },
  faults: (path) => ({
    limited: { status: 429, headers: { 'retry-after': '30' }, body: 'rate_limited' },
    gone: { status: 410, body: 'channel_is_archived' },
    silent: { status: 200, body: '<html>Slack is down</html>' },
    broken: { status: 500, body: `rollup_error ${path}` },
  }),
}

/** Standard Webhooks 1.0.0, checked with its own library by each of the secrets. */
const webhook: ServiceRules = {
  take(request, secrets) {
    const headers = request.headers as Record<string, string>
    const events = secrets.map((secret) => new Webhook(secret).verify(request.body, headers) as Json)
    require(events.length > 0 && Buffer.byteLength(request.body) < 20_000, 'an event of a known sender')
    for (const { type, timestamp, data } of events)
      require(/^[a-z_.]+$/.test(type as string) &&
        !Number.isNaN(Date.parse(timestamp as string)) &&
        data, 'event')
    return { status: 204, body: '' }
  },
  faults: (path) => ({
    limited: { status: 503, headers: { 'retry-after': '120' }, body: 'busy' },
    gone: { status: 410, body: 'gone' },
    silent: { status: 302, headers: { location: '/elsewhere' }, body: '' },
    broken: { status: 500, body: `fault at ${path}` },
  }),
}

const SERVICES: readonly [path: RegExp, rules: ServiceRules][] = [
  [/^\/bot[^/]+\/sendMessage$/, telegram],
  [/^\/$/, ntfy],
  [/^\/api\/webhooks\/\d+\/[^/]+$/, discord],
  [/^\/services\/[^/]+\/[^/]+\/[^/]+$/, slack],
  [/^\/receiver\/[^/]+$/, webhook],
]

/** The services of all channels that speak HTTP, on loopback, as they are documented. */
export async function startServices() {
  const state = { fault: null as ServiceFault | null, secrets: [] as readonly string[] }
  const received: ServiceRequest[] = []
  const wrong: string[] = []

  function answerTo(request: ServiceRequest): Answer | null {
    if (state.fault === 'mute') return null
    const [, rules] = SERVICES.find(([path]) => path.test(request.path.split('?')[0]!)) ?? []
    if (!rules) return { status: 405, body: '' }
    const faulty = state.fault && rules.faults(request.path)[state.fault]
    if (faulty) return faulty
    try {
      return rules.take(request, state.secrets)
    } catch (error) {
      wrong.push(String(error))
      return { status: 400, body: 'invalid_payload' }
    }
  }

  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const whole = { path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() }
      received.push(whole)
      const answer = answerTo(whole)
      if (!answer) return
      const { status, headers, body } = answer
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    received,
    /** What services found wrong with requests. */
    wrong,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Replies to RCPT TO, or to the end of the message (RFC 5321, 3463). */
const MAIL_FAULTS: Partial<Record<ServiceFault, { to?: string; data?: string }>> = {
  limited: { to: '451 4.7.1 try again later' },
  gone: { to: '550 5.1.1 no such user' },
  silent: { data: '' },
  broken: { data: '451 4.3.0 local error' },
}

/** A mail server on loopback that takes every message, unless a fault is set. */
export async function startMailServer() {
  const state = { fault: null as ServiceFault | null }
  const letters: string[] = []
  const server = createServer((socket) => {
    const { to, data } = MAIL_FAULTS[state.fault!] ?? {}
    let letter: string | null = null
    const reply = (line: string) => socket.write(`${line}\r\n`)
    const command = (line: string): void => {
      if (line === 'DATA') letter = ''
      if (line === 'QUIT') return void socket.end('221 bye\r\n')
      reply(line === 'DATA' ? '354 go on' : line.startsWith('RCPT TO') ? (to ?? '250 fine') : '250 fine')
    }
    socket.on('error', () => undefined)
    if (state.fault !== 'mute') reply('220 ready')
    socket.on('data', (bytes) => {
      if (letter === null) return bytes.toString().split('\r\n').filter(Boolean).forEach(command)
      letter += bytes.toString()
      if (!letter.endsWith('\r\n.\r\n')) return
      letters.push(letter.slice(0, -5))
      letter = null
      if (data === '') socket.destroy()
      else reply(data ?? '250 taken')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}?greetingTimeout=300&socketTimeout=300`,
    state,
    letters,
    stop: () => void server.close(),
  }
}
