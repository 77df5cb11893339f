# For those who build with Docker; `make images` makes the same images without it.
#
#   docker build --target operator -t zset.dev/operator:TAG --build-arg VERSION=TAG .
#   docker build --target node     -t zset.dev/node:TAG     --build-arg VERSION=TAG .

FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG TARGETOS TARGETARCH VERSION=dev
WORKDIR /src
# The modules first: a change of source does not download them again.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ENV CGO_ENABLED=0 GOFLAGS=-buildvcs=false
RUN GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /out/ ./cmd/manager ./cmd/node \
 && mkdir -p /out/root/tmp /out/root/data && chmod 1777 /out/root/tmp

# An empty root: /tmp for all, /data for the user the binary runs as.
FROM scratch AS base
COPY --from=build --chown=0:0 /out/root/tmp /tmp
COPY --from=build --chown=65532:65532 /out/root/data /data
USER 65532:65532
WORKDIR /
LABEL org.opencontainers.image.source="https://zset.dev/operator" org.opencontainers.image.licenses="Apache-2.0"

FROM base AS operator
ARG VERSION=dev
LABEL org.opencontainers.image.title="operator" org.opencontainers.image.version="$VERSION"
COPY --from=build /out/manager /manager
ENTRYPOINT ["/manager"]

FROM base AS node
ARG VERSION=dev
LABEL org.opencontainers.image.title="node" org.opencontainers.image.version="$VERSION"
COPY --from=build /out/node /node
ENTRYPOINT ["/node"]
