import { plainText, shortened, unlinked, type SizeOf } from './plain-text.ts'
import type { ChannelDeps, Notice } from './port.ts'

/** UTF-16 units; the fewest that a service takes, which is Slack's header. */
const MAX_TITLE_UNITS = 150
const MAX_BODY_UNITS = 4_000
const TITLE_OF_NOTHING = 'Durable Trader'

export interface Texts {
  /** One line, never empty. */
  title: string
  body: string
}

/** In full, without characters that act. For programs and notices of a system, which make no links. */
export const plainTexts = ({ title, body, details }: Notice): Texts => ({
  title: plainText(title, MAX_TITLE_UNITS) || TITLE_OF_NOTHING,
  body: plainText(details ?? body, MAX_BODY_UNITS, { lineBreaks: true }),
})

/** For programs that find links, mentions and commands in texts without markup. */
export function unlinkedTexts(notice: Notice, mostOfBody: number, sizeOf?: SizeOf): Texts {
  const { title, body } = plainTexts(notice)
  return {
    title: shortened(unlinked(title), MAX_TITLE_UNITS),
    body: shortened(unlinked(body), mostOfBody, sizeOf),
  }
}

/** Absolute. */
export const linkOf = ({ url }: Notice, { publicUrl }: Pick<ChannelDeps, 'publicUrl'>): string =>
  String(new URL(url.startsWith('/') ? `${publicUrl}${url}` : publicUrl))
