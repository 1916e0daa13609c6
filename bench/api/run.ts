import assert from 'node:assert/strict'
import { Agent, get } from 'node:http'
import { once } from 'node:events'
import pg from 'pg'
import { seedLedger, type BusyUser } from './seed.ts'
import { questionsOf, type Question } from './questions.ts'
import { startReadingService } from './service.ts'

/** How much is measured. */
export interface ApiBenchOptions {
  /** Orders in the ledger, and as many signals. */
  rows: number
  /** Requests for each list, and as many bare statements. */
  calls: number
}

/** Milliseconds of every call, in the order in which they were made. */
export interface Timings {
  name: string
  http: number[]
  sql: number[]
}

/** Each list is asked as often before any is measured: Node compiles what they share meanwhile. */
const WARM_UP_ROUNDS = 60

/** Fills the ledger, asks everything, and tears everything down. */
export async function runApiBench(
  { rows, calls }: ApiBenchOptions,
  tell: (what: string) => void,
): Promise<Timings[]> {
  tell('starting PostgreSQL')
  const service = await startReadingService()
  // As the API's own: a connection that stays open, over the same loopback.
  const client = new pg.Client({ connectionString: service.adminUrl })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    await client.connect()
    const user = await seedLedger(client, rows, tell)
    await service.startApi()
    const lists = (await questionsOf(client, user)).map((question) => ({
      name: question.name,
      asked: new Asked(service.apiUrl, agent, client, user, question),
    }))
    for (const { asked } of lists) await asked.requireSameRows()
    tell('warming up')
    for (let round = 0; round < Math.min(calls, WARM_UP_ROUNDS); round++)
      for (const { asked } of lists) await asked.turn()
    const timings: Timings[] = []
    for (const { name, asked } of lists) {
      tell(name)
      const { http, sql } = { http: [] as number[], sql: [] as number[] }
      for (let call = 0; call < calls; call++) {
        const took = await asked.turn()
        http.push(took.http)
        sql.push(took.sql)
      }
      timings.push({ name, http, sql })
    }
    return timings
  } catch (error) {
    console.error(service.logs())
    throw error
  } finally {
    agent.destroy()
    await client.end()
    await service.close()
  }
}

/** One question, asked both ways in turns. */
class Asked {
  #requests = 0
  readonly #apiUrl: string
  readonly #agent: Agent
  readonly #client: pg.Client
  readonly #user: BusyUser
  readonly #question: Question

  constructor(apiUrl: string, agent: Agent, client: pg.Client, user: BusyUser, question: Question) {
    this.#apiUrl = apiUrl
    this.#agent = agent
    this.#client = client
    this.#user = user
    this.#question = question
  }

  async turn(): Promise<{ http: number; sql: number }> {
    const begun = performance.now()
    await this.#byHttp()
    const answered = performance.now()
    await this.#bySql()
    return { http: answered - begun, sql: performance.now() - answered }
  }

  /** A benchmark of two different things would say nothing. */
  async requireSameRows(): Promise<void> {
    const body = JSON.parse(await this.#byHttp())
    const answered = Object.values(body.data ?? body).find(Array.isArray) as { id: string }[]
    const found = (await this.#bySql()).slice(0, body.data?.limit ?? body.limit)
    assert.deepEqual(
      answered.map(({ id }) => id),
      found.map(({ id }) => id),
      this.#question.name,
    )
    assert.ok(found.length > 0, `${this.#question.name} finds nothing`)
  }

  async #byHttp(): Promise<string> {
    const { tokens } = this.#user
    const token = tokens[this.#requests++ % tokens.length]!
    const request = get(`${this.#apiUrl}/api/v1${this.#question.path}`, {
      agent: this.#agent,
      headers: { authorization: `Bearer ${token}` },
    })
    const [response] = await once(request, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    if (response.statusCode !== 200)
      throw new Error(`${this.#question.path} was answered ${response.statusCode}: ${text}`)
    return text
  }

  async #bySql(): Promise<{ id: string }[]> {
    return (await this.#client.query<{ id: string }>(this.#question.sql, this.#question.parameters)).rows
  }
}
