import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A call of the Bot API as it came. */
export interface BotCall {
  method: string
  token: string
  content: Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- tests look into calls freely
}

/** Null: no answer at all. */
type BotAnswer = { status: number; body: object } | null

/** Telegram's Bot API on loopback, which takes everything unless a test says otherwise. */
export interface BotApi {
  origin: string
  readonly calls: BotCall[]
  /** Contents of the calls of a method, in their order. */
  of(method: string): BotCall['content'][]
  answers: (call: BotCall) => BotAnswer
}

export const TAKEN: BotAnswer = { status: 200, body: { ok: true, result: true } }

export const refusedByTelegram = (status: number, description: string): BotAnswer => ({
  status,
  body: { ok: false, error_code: status, description },
})

/** Runs a Bot API from before the first test of the enclosing block until after the last. */
export function useBotApi(): BotApi {
  let server: Server
  const calls: BotCall[] = []
  const api: BotApi = {
    origin: '',
    calls,
    of: (method) => calls.filter((call) => call.method === method).map(({ content }) => content),
    answers: () => TAKEN,
  }
  before('starts a Bot API', async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url!) ?? []
        const call = { token, method, content: JSON.parse(Buffer.concat(chunks).toString()) }
        calls.push(call)
        const answer = api.answers(call)
        if (answer === null) return
        response.writeHead(answer.status, { 'Content-Type': 'application/json' })
        response.end(JSON.stringify(answer.body))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    api.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  beforeEach(() => {
    calls.length = 0
    api.answers = () => TAKEN
  })
  after('stops the Bot API', () => {
    server.closeAllConnections()
    server.close()
  })
  return api
}
