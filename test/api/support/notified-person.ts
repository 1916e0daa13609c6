import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import pino from 'pino'
import type { Mailer } from '#api/mail/mail.ts'
import { createNoticeSender } from '#api/jobs/notice-sender.ts'
import type { OutgoingAnswer } from '#api/notify/outgoing.ts'
import { sealSettings } from '#api/notify/settings.ts'
import { raiseAlert } from '#db/alert/alerts.ts'
import type { Database } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { addChannel } from '#db/notify/channels.ts'
import { saveChoices } from '#db/notify/choices.ts'
import type { AlertKind } from '#domain/alert/alert.ts'
import { type ChannelKind, URGENCIES, type Urgency } from '#domain/alert/channels.ts'
import { DEFAULT_CHOICES, type NotificationChoices } from '#domain/alert/notification-choices.ts'
import { eventually } from '../../support/eventually.ts'
import { createAccount, createSignal } from '../../support/factories.ts'
import { secretKeys } from '../../support/secret-keys.ts'
import { notifyForTests, pushForTests, subscribeBrowser } from './push.ts'

/** How a service ends an attempt. */
export type Ending = 'taken' | 'failed' | 'refused' | 'gone'

/** Kinds of all rungs that a person of tests may have. */
export type PersonalKind = Extract<ChannelKind, 'push' | 'telegram' | 'slack' | 'email'>

const PUSH_ORIGIN = 'https://push.test'
const push = pushForTests([PUSH_ORIGIN])

const answer = (status: number, body: string | object = ''): OutgoingAnswer => ({
  status,
  headers: {},
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const ofTelegram = (code: number): OutgoingAnswer =>
  answer(code, { ok: code === 200, error_code: code, description: 'as asked' })

const ANSWERS: Record<Exclude<PersonalKind, 'email'>, Record<Ending, OutgoingAnswer>> = {
  push: { taken: answer(201), failed: answer(503), refused: answer(403), gone: answer(410) },
  telegram: {
    taken: ofTelegram(200),
    failed: ofTelegram(502),
    refused: ofTelegram(400),
    gone: ofTelegram(403),
  },
  slack: { taken: answer(200, 'ok'), failed: answer(503), refused: answer(400), gone: answer(410) },
}
const MAIL_ANSWERS: Record<Exclude<Ending, 'taken'>, object> = {
  failed: { responseCode: 451 },
  refused: { responseCode: 554 },
  gone: { responseCode: 550, command: 'RCPT TO', response: '550 5.1.1 no such user' },
}

/** Instants of the database that matter to notices, by table. */
const INSTANTS = {
  outbox: ['due_at', 'expires_at'],
  notice_reach: ['notified_at', 'unreached_since', 'reminded_at'],
  channels: [
    'retry_at',
    'quiet_until',
    'alarms_quiet_until',
    'checked_at',
    'last_delivered_at',
    'failing_since',
    'refused_since',
  ],
  alerts: ['raised_at', 'notified_at', 'acknowledged_at'],
  signals: ['accepted_at', 'valid_until'],
  notification_choices: ['quiet_from', 'quiet_until'],
}

/** One person with channels whose services answer as a test says, on the real sender; its clock is in stored instants. */
export class NotifiedPerson {
  readonly #database: Database
  readonly account: { id: string; userId: string }
  /** Subjects of the mails that were taken. */
  readonly subjects: string[] = []
  readonly #attempts: string[] = []
  readonly #endings = new Map<string, (attempt: number) => Ending>()

  private constructor(database: Database, account: { id: string; userId: string }) {
    this.#database = database
    this.account = account
  }

  /** In a database without notices of others. */
  static async create(database: Database): Promise<NotifiedPerson> {
    for (const table of ['outbox', 'notice_reach', 'alerts', 'channels'])
      await database.em.execute(`delete from ${table}`)
    return new NotifiedPerson(database, await createAccount(database.em))
  }

  sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.#database.em.fork().execute<Row[]>(text, values)
  }

  /** A channel called like its kind, unless another name is given. */
  async add(
    kind: PersonalKind,
    { name = kind, urgencies = URGENCIES }: { name?: string; urgencies?: readonly Urgency[] } = {},
  ): Promise<void> {
    const { userId } = this.account
    if (kind === 'push') {
      const endpoint = `${PUSH_ORIGIN}/${name}?${randomUUID()}`
      await subscribeBrowser(this.#database.em, userId, { endpoint, keyId: push.keys.current })
      return void (await this.sql('update channels set name = ?, urgencies = ?::text[] where endpoint = ?', [
        name,
        `{${urgencies.join(',')}}`,
        endpoint,
      ]))
    }
    const owner = { id: randomUUID(), userId }
    const settings = {
      telegram: { botToken: `123:${name}`, chatId: '5', callbackSecret: null },
      slack: { url: `https://slack.test/${name}` },
      email: { address: `${name}@example.test` },
    }[kind]
    await addChannel(this.#database.em.fork(), {
      ...owner,
      kind,
      name,
      service: `https://${kind}.test`,
      urgencies,
      events: [],
      sealed: sealSettings(secretKeys, owner, settings),
    })
  }

  /** From now on the service of the channel answers so; `attempt` begins at 1. */
  answers(name: string, ending: Ending | ((attempt: number) => Ending)): void {
    this.#endings.set(name, typeof ending === 'string' ? () => ending : ending)
  }

  choose(choices: Partial<NotificationChoices>): Promise<void> {
    return saveChoices(this.#database.em.fork(), this.account.userId, { ...DEFAULT_CHOICES, ...choices })
  }

  /** A signal that waits for so many seconds; null: without end. */
  wait(seconds: number | null = 3_600, fields: Partial<Signal> = {}): Promise<Signal> {
    return createSignal(this.#database.em, {
      accountId: this.account.id,
      executeMode: 'pending',
      status: 'pending',
      validUntil: seconds === null ? null : new Date(Date.now() + seconds * 1_000),
      ...fields,
    })
  }

  /** A signal of which the person has been notified of nothing yet. */
  queue(): Promise<Signal> {
    return createSignal(this.#database.em, { accountId: this.account.id, status: 'queued' })
  }

  /** A signal that was refused, of which a person is notified unless they chose otherwise. */
  async refuse(): Promise<Signal> {
    const signal = await this.queue()
    await this.sql(`update signals set status = 'rejected', status_reason = 'MARKET_CLOSED' where id = ?`, [
      signal.id,
    ])
    return signal
  }

  /** As triggers do when an order is filled or a position closed. */
  async notify(kind: 'filled' | 'closed', { id }: Signal): Promise<void> {
    await this.sql(`select notify_person(?, ?, ?, now() + interval '6 hours')`, [
      this.account.userId,
      id,
      kind,
    ])
  }

  /** Of the account, or of a signal. */
  raise(kind: AlertKind, signalId: string | null = null): Promise<void> {
    const subject = { accountId: this.account.id, signalId }
    return raiseAlert(this.#database.em.fork(), subject, { kind, message: 'as asked', data: {} })
  }

  /** Lets so many seconds pass. */
  async pass(seconds: number): Promise<void> {
    for (const [table, columns] of Object.entries(INSTANTS)) {
      const earlier = columns.map((column) => `${column} = ${column} - ${seconds} * interval '1 second'`)
      await this.sql(`update ${table} set ${earlier.join(', ')}`)
    }
  }

  /** Runs the jobs of the sender until nothing is due; returns the channels that were tried for this kind of notice, in order. */
  async run(about = 'waiting'): Promise<string[]> {
    const [before] = await this.sql<{ id: string }>('select coalesce(max(id), 0) as id from deliveries')
    do {
      const sender = this.#sender()
      sender.start()
      const isIdle = async (): Promise<void> => {
        // As the supervisor does.
        sender.soon()
        assert.equal(await this.#due(), 0)
      }
      try {
        await eventually(isIdle, { every: 5 })
      } finally {
        await sender.stop()
      }
    } while ((await this.#due()) > 0)
    const tried = await this.sql<{ name: string }>(
      `select c.name from deliveries d join channels c on c.id = d.channel_id
       where d.id > ? and d.about = ? and d.outcome <> 'expired' order by d.id`,
      [before!.id, about],
    )
    return tried.map(({ name }) => name)
  }

  async #due(): Promise<number> {
    const [row] = await this.sql<{ due: number }>(
      `select count(*)::int as due from outbox o join channels c on c.id = o.channel_id
       where o.due_at <= now() and coalesce(c.retry_at <= now(), true)
         and (not o.is_gathered or o.attempts > 0
           or coalesce(case o.kind when 'alert' then c.alarms_quiet_until else c.quiet_until end <= now(), true))`,
    )
    return row!.due
  }

  #sender() {
    const mailer: Mailer = {
      send: async ({ to, subject }) => {
        const ending = this.#end(to.split('@')[0]!)
        if (ending !== 'taken') throw Object.assign(new Error('as asked'), MAIL_ANSWERS[ending])
        this.subjects.push(subject)
      },
      close: () => {},
    }
    return createNoticeSender({
      database: this.#database,
      notify: notifyForTests({
        push,
        mailer,
        telegramUrl: 'https://telegram.test',
        request: async (url) => {
          const [, kind, name] = /^https:\/\/(\w+)\.test\/(?:bot123:)?([\w-]+)/.exec(url)!
          return ANSWERS[kind as keyof typeof ANSWERS][this.#end(name!)]
        },
      }),
      secretKeys,
      logger: pino({ level: 'silent' }),
      metrics: { countNotification: () => {} },
    })
  }

  #end(name: string): Ending {
    this.#attempts.push(name)
    const attempt = this.#attempts.filter((each) => each === name).length
    return this.#endings.get(name)?.(attempt) ?? 'taken'
  }

  /** Its state as `open` or `over` per alert notice_unreached. */
  async unreached(): Promise<string[]> {
    const rows = await this.sql<{ state: string }>(
      `select case when resolved_at is null then 'open' else 'over' end as state from alerts
       where kind = 'notice_unreached' and user_id = ? order by raised_at`,
      [this.account.userId],
    )
    return rows.map(({ state }) => state)
  }

  /** Of channels that exist, such as `slack waiting refused`, the oldest first. */
  async log(): Promise<string[]> {
    const rows = await this.sql<{ entry: string }>(
      `select concat_ws(' ', c.name, d.about, d.outcome) as entry from deliveries d join channels c on c.id = d.channel_id
       where d.user_id = ? order by d.id`,
      [this.account.userId],
    )
    return rows.map(({ entry }) => entry)
  }

  async outbox(): Promise<string[]> {
    const rows = await this.sql<{ entry: string }>(
      `select concat_ws(' ', c.name, o.kind) as entry from outbox o join channels c on c.id = o.channel_id order by 1`,
    )
    return rows.map(({ entry }) => entry)
  }
}
