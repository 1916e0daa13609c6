import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { REPOSITORY } from '#test/architecture/source-files.ts'

/** A rule of deploy/prometheus/alerts.yml. */
export interface AlertRule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}

/** The rules that are delivered. */
export function alertRules(): AlertRule[] {
  const { groups } = parse(readFileSync(join(REPOSITORY, 'deploy/prometheus/alerts.yml'), 'utf8')) as {
    groups: { rules: AlertRule[] }[]
  }
  return groups.flatMap(({ rules }) => rules)
}
