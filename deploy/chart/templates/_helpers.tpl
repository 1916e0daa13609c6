{{- define "durable-trader.labels" -}}
app.kubernetes.io/name: durable-trader
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "durable-trader.allLabels" -}}
{{ include "durable-trader.labels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "durable-trader.image" -}}
{{- $image := .root.Values.image -}}
{{ $image.repository }}:{{ $image.tag | default .root.Chart.AppVersion }}{{ with $image.digest }}@{{ . }}{{ end }}
{{- end }}

{{/*
An API behind the ingress needs its own address, for links in letters and Secure cookies, and the proxies before it, because all
people would share one count of sign-ins otherwise.
*/}}
{{- define "durable-trader.reach" -}}
{{- if .Values.ingress.enabled -}}
{{- $address := printf "https://%s" (required "ingress.host is needed" .Values.ingress.host) -}}
{{- if ne (trimSuffix "/" .Values.api.publicUrl) $address }}{{ fail (printf "api.publicUrl has to be %s with this ingress: letters lead there, and cookies are marked Secure by it" $address) }}{{ end -}}
{{- if not .Values.api.trustedProxies }}{{ fail "api.trustedProxies is needed with ingress.enabled, such as 10.42.0.0/16: the addresses from which the ingress controller reaches the API; without it all people count as one" }}{{ end -}}
{{- end -}}
- name: PUBLIC_URL
  value: {{ .Values.api.publicUrl | quote }}
- name: TRUSTED_PROXIES
  value: {{ .Values.api.trustedProxies | quote }}
{{- end }}

{{/* User "node" of the image; no process needs rights of the cluster or the machine. */}}
{{- define "durable-trader.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "durable-trader.container" -}}
image: {{ include "durable-trader.image" . | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Spreads the pods of a component over machines, if possible. */}}
{{- define "durable-trader.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "durable-trader.labels" . | nindent 8 }}
{{- end }}

{{- define "durable-trader.database" -}}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.secrets.database }}, key: url } }
{{- end }}

{{/* Settings of both API and worker. */}}
{{- define "durable-trader.connections" -}}
{{ include "durable-trader.database" . }}
- name: KEY_FILE
  value: /keys/keys.json
- name: TEMPORAL_ADDRESS
  value: {{ required "temporal.address is needed" .Values.temporal.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace | quote }}
- name: TEMPORAL_TLS
  value: {{ .Values.temporal.tls | quote }}
{{- with .Values.secrets.temporal }}
- name: TEMPORAL_API_KEY
  valueFrom: { secretKeyRef: { name: {{ . }}, key: apiKey } }
{{- end }}
- name: VENUE_URL
  value: http://{{ .Release.Name }}-venue:3100
{{- end }}

{{- define "durable-trader.settings" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "durable-trader.keys" -}}
- name: keys
  secret: { secretName: {{ .Values.secrets.keys }}, defaultMode: 0440 }
{{- end }}
