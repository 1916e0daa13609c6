import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { alertRules } from './alert-rules.ts'

interface Panel {
  title: string
  targets?: { expr: string }[]
}

/** A query of a panel or a rule, by its title or name. */
export interface DeliveredQuery {
  of: string
  expr: string
}

/** The queries of the dashboard by the titles of their panels. */
export function panelQueries(): DeliveredQuery[] {
  const { panels } = JSON.parse(
    readFileSync(join(REPOSITORY, 'deploy/grafana/durable-trader.json'), 'utf8'),
  ) as { panels: Panel[] }
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ of: title, expr })))
}

/** The queries of the dashboard, and those of the rules by their names. */
export const deliveredQueries = (): DeliveredQuery[] => [
  ...panelQueries(),
  ...alertRules().map(({ alert, expr }) => ({ of: alert, expr })),
]

/** Names of metrics in a query, and of the labels by which it chooses or groups. */
export function namesIn(expr: string): { metrics: string[]; labels: string[] } {
  const chosen = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner]) =>
    [...inner!.matchAll(/(\w+)(?:!~|=~|!=|=)"/g)].map(([, label]) => label!),
  )
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inner]) => inner!.split(/, ?/))
  const bare = expr.replace(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ')
  return {
    metrics: [...bare.matchAll(/\b(?:durable_trader|temporal|nodejs|process)_\w+|\bup\b/g)].map(
      ([name]) => name,
    ),
    labels: [...chosen, ...grouped],
  }
}
