import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AlertKind } from '#domain/alert/alert.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { admin } from '#test/support/admin-command.ts'
import { eventually, type Patience } from '#test/support/eventually.ts'
import type { Stack } from '#test/support/stack.ts'

/** An alert as its owner sees it. */
export interface ShownAlert {
  id: string
  kind: AlertKind
  message: string
  signalId: string | null
  orderId: string | null
  raisedAt: string
}

/** A page of docs/operate/runbooks that a test plays through: its own statements and commands are carried out, and no copies of them. */
export class PlayedPage {
  readonly #text: string
  readonly #name: string
  readonly #stack: () => Stack

  /** @param name of the page, which is that of its kind of alert where there is one, such as `fill-amended` */
  constructor(name: string, stack: () => Stack) {
    this.#name = name
    this.#stack = stack
    this.#text = readFileSync(join(REPOSITORY, `docs/operate/runbooks/${name}.md`), 'utf8')
  }

  get #kind(): AlertKind {
    return this.#name.replaceAll('-', '_') as AlertKind
  }

  /** Open alerts of the page's kind. */
  async open(): Promise<ShownAlert[]> {
    return (await this.#stack().api.get(`/alerts?kind=${this.#kind}`)).body.data.alerts
  }

  /** Waits for an alert of the page's kind, of a signal or a manual order where that is given. */
  raised(patience: Patience, subject?: string): Promise<ShownAlert> {
    return eventually(
      async () => {
        const found = (await this.open()).find(
          ({ signalId, orderId }) => subject === undefined || subject === (signalId ?? orderId),
        )
        assert.ok(found, `no alert ${this.#kind}`)
        return found
      },
      { every: 100, ...patience },
    )
  }

  /** Waits until an alert is over. */
  over({ id }: ShownAlert, patience: Patience): Promise<void> {
    return eventually(
      async () =>
        assert.ok(
          (await this.open()).every((alert) => alert.id !== id),
          'the alert is open',
        ),
      { every: 100, ...patience },
    )
  }

  /** Waits until the metric that the page's rule reads tells of so many open alerts. */
  async metricShows(count: number): Promise<void> {
    await eventually(async () => {
      const page = await (await fetch(`${this.#stack().addresses.apiMetrics}/metrics`)).text()
      const found = page.match(new RegExp(`^durable_trader_alerts_open\\{kind="${this.#kind}"\\} (.+)$`, 'm'))
      assert.equal(Number(found?.[1]), count)
    })
  }

  /** Carries out the statements of the page, in their order. */
  async statements(): Promise<Record<string, unknown>[][]> {
    const found = [...this.#text.matchAll(/```sql\n([^`]+)```/g)]
    const answers = []
    for (const [, statement] of found)
      answers.push(await this.#stack().query<Record<string, unknown>>(statement!))
    return answers
  }

  /** Carries out the command in a block of the page that begins with these words, with these words in the place of its capitals. */
  admin(begin: string, words: Record<string, string> = {}): Promise<{ code: number; output: string }> {
    const [, command] = new RegExp(`^npm run admin -- (${begin}.*)$`, 'm').exec(this.#text) ?? []
    assert.ok(command, `the page has no command ${begin}`)
    return admin(this.#stack(), ...command.split(' ').map((word) => words[word] ?? word))
  }

  /** Throws unless the page tells to use a route, such as `POST /api/v1/alerts/:id/acknowledge`. */
  assertReports(words: string): void {
    assert.ok(this.#text.includes(words), `the page does not tell of ${words}`)
  }

  /** The owner acknowledges an alert that ends by that. */
  async acknowledge({ id }: ShownAlert): Promise<void> {
    this.assertReports('POST /api/v1/alerts/:id/acknowledge')
    const { status } = await (await this.#stack().signIn()).post(`/alerts/${id}/acknowledge`, {})
    assert.equal(status, 200)
    assert.ok((await this.open()).every((alert) => alert.id !== id))
  }
}

/** Seconds between two instants, as the pages tell them. */
export const secondsBetween = (from: string, to: string): string =>
  ((Date.parse(to) - Date.parse(from)) / 1_000).toFixed(1)

/** Starts to count; tells the seconds since then, as the pages tell them. */
export function stopwatch(): () => string {
  const began = performance.now()
  return () => ((performance.now() - began) / 1_000).toFixed(1)
}

/** Prints what was measured, for the line of the page. */
export const tell = (words: string): void => console.log(`    ${words}`)
