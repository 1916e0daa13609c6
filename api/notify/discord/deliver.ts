import { linkOf, plainTexts } from '../content.ts'
import { fieldsOf, judge, unconfirmed } from '../judge.ts'
import { shortened } from '../plain-text.ts'
import type { ChannelDeps, Deliver, Notice } from '../port.ts'
import { pauseOfSeconds } from '../retry-after.ts'

interface DiscordSettings {
  /** Address of a webhook: a secret, which suffices to send. */
  url: string
}

const MAX_DISCORD_UNITS = 2_000
/** No previews of links. */
const SUPPRESS_EMBEDS = 4

export const deliverDiscord: Deliver<DiscordSettings> = async (settings, notice, deps) => {
  const answer = await deps.request(confirming(settings.url), {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      content: contentOf(notice, deps),
      allowed_mentions: { parse: [] },
      flags: SUPPRESS_EMBEDS,
    }),
  })
  const { id, retry_after: seconds } = fieldsOf(answer)
  if (answer.status === 200 && typeof id !== 'string') return unconfirmed('Discord')
  // The webhook was replaced or its token is wrong: it cannot become right.
  if (answer.status === 401) return { is: 'gone', reason: 'Discord answered 401' }
  return judge(answer, { service: 'Discord', retryAfter: pauseOfSeconds(seconds), now: deps.now() })
}

/** Without `wait` Discord answers before it has stored the message. */
function confirming(webhook: string): string {
  const url = new URL(webhook)
  // oxlint-disable-next-line no-restricted-properties -- an address of our own request, not the query of one we got
  url.searchParams.set('wait', 'true')
  return String(url)
}

/**
 * In a block of code, where nothing but its end is markup, mention or link. Discord's escapes do not cover links, and its
 * kinds of markup grow.
 */
function contentOf(notice: Notice, deps: ChannelDeps): string {
  const { title, body } = plainTexts(notice)
  const text = [title, body].filter(Boolean).join('\n').replaceAll('`', 'ˋ')
  const end = `\n\`\`\`\n<${linkOf(notice, deps)}>`
  const begin = '```\n'
  return `${begin}${shortened(text, MAX_DISCORD_UNITS - begin.length - end.length)}${end}`
}
