import assert from 'node:assert/strict'
import { eventually } from '../../support/eventually.ts'

/** An event as a client reads it. */
export interface ReadEvent {
  id: string
  event: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into events freely
  data: any
}

/** A client of an event stream, as the HTML Standard describes one. */
export class EventClient {
  readonly events: ReadEvent[] = []
  /** Lines that are comments. */
  comments = 0
  /** Milliseconds after which the server wants to see it again. */
  retry: number | null = null
  lastEventId = ''
  headers!: Headers
  status = 0
  isClosed = false
  readonly #cut = new AbortController()

  /** Resolves when the server has answered. */
  static async open(
    url: string,
    { token, lastEventId }: { token?: string; lastEventId?: string } = {},
  ): Promise<EventClient> {
    const client = new EventClient()
    const response = await fetch(url, {
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      },
      signal: client.#cut.signal,
    })
    client.headers = response.headers
    client.status = response.status
    void client.#read(response).catch(() => {
      // Cut by the test, or by the end of the server.
      client.isClosed = true
    })
    return client
  }

  /** The first event of which the condition holds, as soon as it is there. */
  async until(condition: (event: ReadEvent) => boolean): Promise<ReadEvent> {
    return eventually(
      () => {
        const found = this.events.find(condition)
        assert.ok(found, `among ${JSON.stringify(this.events)}`)
        return found
      },
      { every: 10 },
    )
  }

  /** The first event of a kind. */
  first(event: string): Promise<ReadEvent> {
    return this.until((one) => one.event === event)
  }

  async closed(): Promise<void> {
    await eventually(() => assert.ok(this.isClosed, 'still open'), { every: 10 })
  }

  close(): void {
    this.#cut.abort()
  }

  async #read(response: Response): Promise<void> {
    let rest = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) this.#take(block)
    }
    this.isClosed = true
  }

  #take(block: string): void {
    let event = 'message'
    let data = ''
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) this.comments += 1
      const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
      if (name === 'id') this.lastEventId = value
      if (name === 'retry') this.retry = Number(value)
      if (name === 'event') event = value
      if (name === 'data') data = value
    }
    if (data !== '') this.events.push({ id: this.lastEventId, event, data: JSON.parse(data) })
  }
}
