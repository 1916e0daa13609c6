import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { hasReserve, type RoutePolicy, limitOf, TIERS } from '#api/access/policy.ts'
import { ROUTES } from '#api/routes.ts'
import { DENIALS } from '#domain/risk/denial.ts'
import { DEFAULT_RISK_LIMITS, RISK_LIMIT_DESCRIPTIONS } from '#domain/risk/limits.ts'
import { MATRIX } from '#test/architecture/import-matrix.ts'
import { REPOSITORY, repositoryFiles } from '#test/architecture/source-files.ts'

/** A part of a page that is written from the code: what stands between its two marks. */
interface GeneratedPart {
  page: string
  name: string
  text(): string
}

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const shown = (value: string | number | readonly string[] | null): string =>
  value === null ? 'no limit' : typeof value === 'object' ? value.join(', ') || 'none' : `\`${value}\``

const whoOf = ({ credentials, mayBeAnonymous }: RoutePolicy): string => {
  if (credentials.length === 0) return 'anybody'
  const kinds = [
    ...(credentials.includes('jwt') ? ['person'] : []),
    ...(credentials.includes('access') ? ['token'] : []),
    ...(credentials.includes('desktop') ? ['desktop'] : []),
    ...(mayBeAnonymous ? ['anybody'] : []),
  ]
  return kinds.join(', ')
}

const demandsOf = ({ fresh, admin, keyInQuery, ticketInQuery }: RoutePolicy): string =>
  [
    ...(admin ? ['administrator with a fresh second factor'] : []),
    ...(fresh && !admin ? ['fresh proof'] : []),
    ...(keyInQuery ? ['API key allowed in the query'] : []),
    ...(ticketInQuery ? ['ticket allowed in the query'] : []),
  ].join(', ')

const limitWords = (policy: RoutePolicy): string => {
  const { tier } = policy
  if (tier === null) return 'none'
  const { seconds, by } = TIERS[tier]
  const [person, program] = [true, false].map((isPerson) =>
    limitOf(tier, { reserve: hasReserve(policy, isPerson) }),
  )
  const requests = person === program ? person : `${person} (tokens ${program})`
  return `${requests}/${seconds === 60 ? '' : seconds / 60}min by ${by}`
}

const importTable = (): string => {
  const rooms = Object.keys(MATRIX.rooms)
  const imported = rooms.filter((room) => rooms.some((by) => MATRIX.rooms[by]![room]))
  const granted = (by: string, room: string): string =>
    by === room ? '.' : (MATRIX.rooms[by]![room] ?? []).map(({ says }) => says).join(', ')
  return table(
    ['', ...imported],
    rooms.map((by) => [by, ...imported.map((room) => granted(by, room))]),
  )
}

/** Rooms with folders, each with those that it has. */
const folderList = (): string => {
  const paths = repositoryFiles('.ts', '.tsx').map((file) => file.split('/'))
  const folders = Map.groupBy(
    paths.filter(([room, , file]) => Object.hasOwn(MATRIX.rooms, room!) && file !== undefined),
    ([room]) => room!,
  )
  return [...folders]
    .map(([room, files]) => `- \`${room}/\`: ${[...new Set(files.map(([, folder]) => folder!))].join(', ')}`)
    .join('\n')
}

export const GENERATED_PARTS: GeneratedPart[] = [
  {
    page: 'docs/guide/denial-codes.md',
    name: 'denial codes',
    text: () =>
      table(
        ['code', 'by', 'can change', 'meaning'],
        Object.entries(DENIALS).map(([code, { by, canChange, meaning }]) => [
          `\`${code}\``,
          by,
          canChange ? 'yes' : 'no',
          meaning,
        ]),
      ),
  },
  {
    page: 'docs/build/access.md',
    name: 'access',
    text: () =>
      table(
        ['route', 'who', 'scope', 'asks for', 'limit', 'bound'],
        ROUTES.map(({ name, access }) => [
          `\`${name}\``,
          whoOf(access),
          access.scope === null ? '' : `\`${access.scope}\``,
          demandsOf(access),
          limitWords(access),
          access.work ?? 'none',
        ]),
      ),
  },
  { page: 'docs/build/architecture.md', name: 'imports', text: importTable },
  { page: 'docs/build/architecture.md', name: 'folders', text: folderList },
  {
    page: 'docs/guide/risk.md',
    name: 'risk limits',
    text: () =>
      table(
        ['limit', 'meaning', 'default', 'closing orders', 'denied with'],
        Object.entries(RISK_LIMIT_DESCRIPTIONS).map(([name, { meaning, closing, code }]) => [
          `\`${name}\``,
          meaning,
          shown(DEFAULT_RISK_LIMITS[name as keyof typeof DEFAULT_RISK_LIMITS]),
          closing,
          code === null ? '' : `\`${code}\``,
        ]),
      ),
  },
]

/** The page as it stands, and as the code says that it should. */
export async function pageOf({ page, name, text }: GeneratedPart): Promise<{ is: string; shouldBe: string }> {
  const path = join(REPOSITORY, page)
  const is = await readFile(path, 'utf8')
  const [begin, end] = [`<!-- ${name}: written by npm run docs -->`, `<!-- end of ${name} -->`]
  const [from, to] = [is.indexOf(begin), is.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${page} has no marks for ${name}`)
  const written = await formatted(path, text())
  return { is, shouldBe: `${is.slice(0, from)}${begin}\n\n${written}\n${is.slice(to)}` }
}

export const formatted = async (path: string, text: string): Promise<string> =>
  format(text, { ...(await resolveConfig(path)), filepath: path })

export async function writePages(): Promise<void> {
  for (const part of GENERATED_PARTS)
    await writeFile(join(REPOSITORY, part.page), (await pageOf(part)).shouldBe)
}
