import { randomUUID } from 'node:crypto'
import pino from 'pino'
import { createNoticeSender } from '#api/jobs/notice-sender.ts'
import type { OutgoingRequest } from '#api/notify/outgoing.ts'
import { sealSettings, withNewSecret } from '#api/notify/settings.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { addChannel } from '#db/notify/channels.ts'
import { EVENT_KINDS, type EventKind } from '#domain/alert/channels.ts'
import { eventually } from '../../support/eventually.ts'
import { secretKeys } from '../../support/secret-keys.ts'
import type { ApiServer } from './api-server.ts'
import { addPerson, type Person } from './person.ts'
import { notifyForTests } from './push.ts'
import { startPushService, type PushAnswer, type PushRequest, type PushService } from './push-service.ts'
import { useApi } from './use-api.ts'

const NO_LOG = pino({ level: 'silent' })
/** As the supervisor, which looks each second. */
const ASKS_EVERY_MS = 50

interface WebhookFields {
  url?: string
  events?: readonly EventKind[]
  /** When its secret was replaced. */
  rotatedAt?: number
}

/** Stores a webhook of a user with a new secret and the one before; by default it wants every kind of event. */
export async function addWebhook(
  em: EntityManager,
  userId: string,
  { url = 'http://127.0.0.1:9/', events = EVENT_KINDS, rotatedAt = Date.now() }: WebhookFields = {},
): Promise<{ id: string; secrets: string[] }> {
  const owner = { id: randomUUID(), userId }
  const settings = withNewSecret(withNewSecret({ url, secrets: [] }, rotatedAt), rotatedAt)
  const sealed = sealSettings(secretKeys, owner, settings)
  const { origin: service } = new URL(url)
  const named = { ...owner, kind: 'webhook', name: 'a journal', service } as const
  await addChannel(em.fork(), { ...named, urgencies: [], events, sealed })
  return { id: owner.id, secrets: settings.secrets.map(({ secret }) => secret) }
}

/** Writes so many events of a user, as triggers do; the ids with which they are sent, in their order. */
export async function writeEvents(
  em: EntityManager,
  userId: string,
  count = 1,
  type = 'order.filled',
): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `insert into webhook_events (user_id, type, data)
     select ?, ?, jsonb_build_object('n', n) from generate_series(1, ?) n returning id`,
    [userId, type, count],
  )
  return rows.map(({ id }) => `evt_${id}`)
}

interface RunningSender {
  /** What was counted, as `event taken`. */
  counted: string[]
  stop(): Promise<void>
}

/** Sends notifications from now on, as an API process does. */
function startSender(database: Database, request?: OutgoingRequest): RunningSender {
  const counted: string[] = []
  const sender = createNoticeSender({
    database,
    notify: notifyForTests(request && { request }),
    secretKeys,
    logger: NO_LOG,
    metrics: { countNotification: (kind, outcome) => void counted.push(`${kind} ${outcome}`) },
  })
  sender.start()
  const asks = setInterval(() => sender.soon(), ASKS_EVERY_MS)
  return {
    counted,
    async stop() {
      clearInterval(asks)
      await sender.stop()
    },
  }
}

/** Lets so many seconds pass for all that waits, by moving its instants back. */
async function passTime(em: EntityManager, seconds: number): Promise<void> {
  const moved = (...columns: string[]) =>
    columns.map((name) => `${name} = ${name} - make_interval(secs => ${seconds})`).join(', ')
  await em.execute(
    `with events as (update webhook_events set ${moved('at')}), waiting as (update outbox set ${moved('due_at', 'expires_at')})
     update channels set ${moved('retry_at', 'failing_since')}`,
  )
}

export const webhookId = ({ headers }: PushRequest): string => String(headers['webhook-id'])

/** A person of an API, and a receiver of webhooks that takes everything until a test says otherwise. */
class WebhookStage {
  readonly api: ApiServer
  person!: Person
  receiver!: PushService
  /** Ids of the events that the receiver took, in the order of its answers. */
  taken: string[] = []
  #senders: RunningSender[] = []

  constructor(api: ApiServer) {
    this.api = api
  }

  get em(): EntityManager {
    return this.api.database.em
  }

  async begin(): Promise<void> {
    for (const table of ['channels', 'outbox', 'webhook_events', 'deliveries'])
      await this.em.execute(`delete from ${table}`)
    this.receiver = await startPushService()
    this.person = await addPerson(this.api)
    this.answers(() => ({ status: 204 }))
  }

  async end(): Promise<void> {
    await Promise.all(this.#senders.map((sender) => sender.stop()))
    this.#senders = []
    await this.receiver.stop()
  }

  /** From now on the receiver answers so. */
  answers(answer: (request: PushRequest) => PushAnswer): void {
    this.taken = []
    this.receiver.answers((request) => {
      const given = answer(request)
      if (given !== null && given.status < 300) this.taken.push(webhookId(request))
      return given
    })
  }

  /** A webhook of the person, at the receiver. */
  add(fields: WebhookFields = {}) {
    return addWebhook(this.em, this.person.userId, { url: `${this.receiver.origin}/hook`, ...fields })
  }

  start(request?: OutgoingRequest): RunningSender {
    const sender = startSender(this.api.database, request)
    this.#senders.push(sender)
    return sender
  }

  write(count = 1, type?: string): Promise<string[]> {
    return writeEvents(this.em, this.person.userId, count, type)
  }

  waiting(): Promise<{ id: string; attempts: number; wait: number }[]> {
    return this.em.execute(
      `select 'evt_' || subject_id as id, attempts, extract(epoch from due_at - now())::float8 as wait
       from outbox where kind = 'event' order by id`,
    )
  }

  /** Resolves when nothing waits to be sent. */
  async untilSent(within = 20_000): Promise<void> {
    await eventually(
      async () => {
        const [left] = await this.em.execute<{ count: number }[]>(
          `select (select count(*)::int from outbox where kind = 'event')
             + (select count(*)::int from webhook_events where not is_spread) as count`,
        )
        if (left!.count > 0) throw new Error(`${left!.count} events are not sent yet`)
      },
      { within },
    )
  }

  /** Lets time pass once the outcome of every request is recorded, so that nothing is in progress. */
  async pass(seconds: number): Promise<void> {
    await this.untilRecorded()
    await passTime(this.em, seconds)
  }

  async untilRecorded(): Promise<void> {
    await eventually(async () => {
      const [row] = await this.em.execute<{ noted: number; fresh: number }[]>(
        `select (select count(*)::int from deliveries) as noted,
           (select count(*)::int from webhook_events where not is_spread) as fresh`,
      )
      const sent = this.receiver.requests.length
      if (row!.noted < sent || row!.fresh > 0) throw new Error(`${row!.noted} of ${sent} are recorded`)
    })
  }

  async channel(id: string) {
    const listed = (await this.person.call('GET', '/channels')).body.data as Record<string, unknown>[]
    return listed.find((channel) => channel['id'] === id)!
  }

  async log(
    id: string,
  ): Promise<{ attempt: number; outcome: string; reason: string | null; about: string }[]> {
    return (await this.person.call('GET', `/deliveries?channelId=${id}&limit=100`)).body.data.deliveries
  }
}

export function useWebhooks(): WebhookStage {
  const stage = new WebhookStage(useApi())
  beforeEach(() => stage.begin())
  afterEach(() => stage.end())
  return stage
}
