import type { GoProgram } from '#local/servers/go-program.ts'

/** The tests need none of the service discoveries, which are most of these programs. */
const PROMETHEUS_TAGS = 'remove_all_sd'
/** Prometheus 3.16 itself, which runs queries; those of Debian 12, 2.42, pass the same tests. */
export const PROMETHEUS: GoProgram = {
  name: 'prometheus',
  package: 'github.com/prometheus/prometheus/cmd/prometheus',
  version: '0.316.0',
  tags: PROMETHEUS_TAGS,
  isTakenFromPath: true,
}
/** Judges the rules of Prometheus. */
export const PROMTOOL: GoProgram = {
  ...PROMETHEUS,
  name: 'promtool',
  package: 'github.com/prometheus/prometheus/cmd/promtool',
}
/** Judges the ways of alerts through the Alertmanager. */
export const AMTOOL: GoProgram = {
  name: 'amtool',
  package: 'github.com/prometheus/alertmanager/cmd/amtool',
  version: '0.34.2',
  tags: PROMETHEUS_TAGS,
  isTakenFromPath: true,
}
/** Renders charts and checks them. */
export const HELM: GoProgram = { name: 'helm', package: 'helm.sh/helm/v3/cmd/helm', version: '3.22.0' }
/** Holds objects of Kubernetes to their schemas. */
export const KUBECONFORM: GoProgram = {
  name: 'kubeconform',
  package: 'github.com/yannh/kubeconform/cmd/kubeconform',
  version: '0.7.0',
}
