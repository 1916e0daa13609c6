import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { asTradingView } from '#web/signal/templates.ts'
import type { MessageKind } from './scripts.ts'

/** A message to paste into TradingView, and where people find it. */
export interface Template {
  from: 'documentation' | 'web application'
  text: string
}

const DOCUMENTED_ACCOUNT = '00000000-0000-4000-8000-000000000000'

/** The messages that people are told to send, for an account of theirs. */
export const templatesOf = (message: MessageKind, accountId: string): Template[] => [
  { from: 'documentation', text: documentedMessage(message).replace(DOCUMENTED_ACCOUNT, accountId) },
  { from: 'web application', text: webMessage(message, accountId) },
]

const webMessage = (message: MessageKind, accountId: string): string =>
  asTradingView(
    { symbol: 'AAPL', action: 'openLong', accountId, quantity: 1, executeMode: 'immediate', sourceId: 'web' },
    message === 'target' ? 'turns' : 'orders',
  )

/** The message of the page for senders that needs no hook, with, or without, a target. */
function documentedMessage(message: MessageKind): string {
  const page = readFileSync(join(REPOSITORY, 'docs/guide/senders.md'), 'utf8')
  const section = page.split('\n## ').find((each) => each.startsWith('Without a hook\n')) ?? ''
  const messages = [...section.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => text!)
  const found = messages.filter((text) => text.includes('targetPosition') === (message === 'target'))
  if (found.length !== 1) throw new Error(`docs/guide/senders.md has ${found.length} messages for ${message}`)
  return found[0]!
}
