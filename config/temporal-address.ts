export interface TemporalSettings {
  TEMPORAL_ADDRESS: string
  TEMPORAL_NAMESPACE: string
  TEMPORAL_TLS: boolean
  TEMPORAL_API_KEY?: string | undefined
  TEMPORAL_TASK_QUEUE: string
}

export const connectionOptions = (
  settings: Omit<TemporalSettings, 'TEMPORAL_NAMESPACE' | 'TEMPORAL_TASK_QUEUE'>,
): { address: string; tls?: true; apiKey?: string } => ({
  address: settings.TEMPORAL_ADDRESS,
  ...(settings.TEMPORAL_TLS && { tls: true }),
  ...(settings.TEMPORAL_API_KEY && { apiKey: settings.TEMPORAL_API_KEY }),
})
