import { linkOf, unlinkedTexts } from '../content.ts'
import { judge, unconfirmed } from '../judge.ts'
import type { ChannelDeps, Deliver, Notice } from '../port.ts'

interface SlackSettings {
  /** Address of an incoming webhook: a secret, which suffices to send. */
  url: string
}

const MAX_SLACK_UNITS = 3_000

export const deliverSlack: Deliver<SlackSettings> = async (settings, notice, deps) => {
  const answer = await deps.request(settings.url, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(messageOf(notice, deps)),
  })
  if (answer.status === 200 && answer.body !== 'ok') return unconfirmed('Slack')
  const detail = /^[a-z_]{1,40}$/.exec(answer.body)?.[0]
  return judge(answer, { service: 'Slack', detail, now: deps.now() })
}

/** Only our own link is markup. A button would have Slack ask the app for its reaction, and show a fault. */
function messageOf(notice: Notice, deps: ChannelDeps) {
  const { title, body } = unlinkedTexts(notice, MAX_SLACK_UNITS)
  const link = escaped(linkOf(notice, deps)).replaceAll('|', '%7C')
  return {
    // For notices and screen readers, in place of the blocks.
    text: escaped([title, body].filter(Boolean).join('\n')),
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plain(title) },
      ...(body === '' ? [] : [{ type: 'section', text: plain(body) }]),
      { type: 'context', elements: [{ type: 'mrkdwn', verbatim: true, text: `<${link}|Open>` }] },
    ],
    unfurl_links: false,
    unfurl_media: false,
  }
}

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
