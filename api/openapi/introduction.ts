import { readFileSync } from 'node:fs'
import { ERRORS } from '#contract/errors.ts'
import { VERSION } from '../http/version.ts'

const CHAPTERS: Readonly<Record<string, string>> = {
  Signals:
    'What somebody wants to trade: an entry and perhaps an exit. Each becomes a broker order exactly once.',
  Hooks: 'Addresses for senders that cannot set headers, what came to each, and what became of it.',
  Orders: 'What brokers have accepted.',
  Positions: 'What is held, as the broker last told.',
  Accounts: 'Accounts at brokers, with their balances.',
  Brokers: 'Connections to brokers; accounts belong to one.',
  Trades: 'Round trips: entries and exits, matched by the signal whose shares they are.',
  Strategies: 'What signals can be grouped by.',
  Dashboard: 'Figures over all accounts.',
  Assets: 'What a broker knows of a symbol.',
  Alerts: 'What may cost you money while nobody looks.',
  Notifications: 'Which of your browsers are told of waiting signals and alerts, and what.',
  Events: 'Changes of all these as they happen.',
  Risk: 'Limits of accounts and the kill switch.',
  'Sign-in': 'Registration, sign-in, sign-out and passwords.',
  'Two-step sign-in': 'Authenticators and backup codes.',
  Devices: 'Sign-in of desktops and devices without a browser.',
  'Access tokens': 'Credentials for programs.',
  'Own account': 'Who you are, where you are signed in, and what was done in your name.',
  Desktop: 'What a companion on a desktop keeps itself up to date by.',
  Administration: 'What administrators do with users.',
  Service: 'Health of the service, and this description.',
}

export function chaptersOf(routes: readonly { tag: string | null }[]): string[] {
  const tags = routes.flatMap(({ tag }) => tag ?? [])
  const unknown = tags.find((tag) => !Object.hasOwn(CHAPTERS, tag))
  if (unknown !== undefined) throw new Error(`The chapter ${unknown} is not described`)
  return Object.keys(CHAPTERS).filter((name) => tags.includes(name))
}

export function introduction(chapters: readonly string[]): object {
  return {
    info: {
      title: 'Durable Trader',
      version: VERSION,
      summary: 'Trading signals in by webhook, broker orders out exactly once.',
      description: `${readFileSync(new URL('first-steps.md', import.meta.url), 'utf8')}\n${errorTable()}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: chapters.map((name) => ({ name, description: CHAPTERS[name] })),
  }
}

const errorTable = (): string =>
  ['| code | status | meaning |', '|---|---|---|']
    .concat(
      Object.entries(ERRORS).map(([code, { status, message }]) => `| \`${code}\` | ${status} | ${message} |`),
    )
    .join('\n')
