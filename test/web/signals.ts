import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { Page } from 'playwright-core'
import type { App } from './browser.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** A symbol that no other test uses. */
export const newSymbol = (): string =>
  `ZT${Array.from({ length: 6 }, () => LETTERS[randomInt(26)]!).join('')}`

/**
 * Signals for the enclosing `describe`. What a test leaves waiting is rejected after it, so that each begins with an
 * empty queue.
 */
export function useSignals(app: App) {
  afterEach(async () => {
    await app.forgetCounts()
    const person = await app.stack.signIn()
    const { body } = await person.get('/signals?status=pending&limit=100')
    const ids = body.data.signals.map(({ id }: { id: string }) => id)
    if (ids.length > 0) assert.equal((await person.post('/signals/reject', { ids })).status, 200)
  })
  return {
    /** Sends a signal that waits for a person; resolves with its id and symbol. */
    async waiting(changes: object = {}): Promise<{ id: string; symbol: string }> {
      const sent = {
        symbol: newSymbol(),
        action: 'openLong',
        accountId: app.stack.accountId,
        quantity: 10,
        executeMode: 'pending',
        ...changes,
      }
      const { status, body } = await app.stack.api.post('/signals', sent)
      assert.equal(status, 201, JSON.stringify(body))
      return { id: body.signal.id, symbol: sent.symbol }
    },
    /** What a share of it costs at the venue now, in dollars. */
    async priceOf(symbol: string): Promise<number> {
      const { status, body } = await app.stack.api.get(`/market/quotes?symbols=${symbol}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body.data.quotes[0].last
    },
    /** The signal as the service knows it. */
    recordOf: async (id: string) => (await app.stack.api.get(`/signals/${id}`)).body.data,
    /** Its row in the queue. */
    row: (page: Page, symbol: string) =>
      page.getByRole('list', { name: 'Waiting signals' }).getByRole('button', { name: symbol }),
    /** Opens its card. Where the list lies below the card, the row of the open card is not in it. */
    async open(page: Page, symbol: string): Promise<void> {
      const card = page.getByRole('heading', { name: symbol })
      const row = page.getByRole('list', { name: 'Waiting signals' }).getByRole('button', { name: symbol })
      await card.or(row).first().waitFor()
      if (!(await card.isVisible())) await row.click()
      await card.waitFor()
    },
  }
}
