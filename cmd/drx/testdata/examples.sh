# Makes what the examples in the help of a verb use, in the current folder, which is empty. The
# first run, without a verb, makes what many verbs use, and later ones copy it from there:
#
#	sh examples.sh '' PICTURES           PICTURES has the radar pictures of the tour
#	sh examples.sh VERB PICTURES BASE    BASE is the folder of the first run
#
# Each function makes what the examples call by its name.
set -e
verb=$1 pictures=$2 base=$3

radar() { # has grown on two sides in space
	create radar --dtype uint16 --shape 25,400,700 --dims time,y,x --fill 65535 --chunk 5,128,256 --codec zstd:1
	drx fill radar --value 7 --section :,300:360,300:360
	drx extend radar --dim y --by 20 --low --quiet
	drx extend radar --dim x --by 20 --low --quiet
	drx attr radar units=mm levels='[1,2,3]' --quiet
}

create() { drx create "$@" --quiet; }

# counting NAME TYPE EXTENTS ... makes an array of small numbers.
counting() {
	name=$1 type=$2 shape=$3
	shift 3
	create "$name" --dtype "$type" --shape "$shape" "$@"
	drx fill "$name" --value 3
}

# coordinate NAME UNITS VALUE... makes a variable of float64 whose dimension has its name.
coordinate() {
	name=$1 units=$2
	shift 2
	printf '%s\n' "$@" | awk -v dim="${name##*/}" 'BEGIN { print dim ",v" } { print NR-1 "," $1 }' >values.csv
	create "$name" --dtype float64 --shape $# --dims "${name##*/}"
	drx append "$name" --coords "${name##*/}" --value v values.csv --quiet
	drx attr "$name" units="$units" --quiet
	rm values.csv
}

weather() { # one month
	create weather --dataset
	coordinate weather/time "days since 2024-02-01" $(seq 0 28)
	coordinate weather/lat degrees_north 50 51
	coordinate weather/longitude degrees_east 3 4 5
	counting weather/rain float32 29,2,3 --dims time,lat,longitude
	counting weather/t2m float32 29,2,3 --dims time,lat,longitude
	counting weather/wind float32 29,2,3 --dims time,lat,longitude
	drx attr weather/rain unit=mm --quiet
}

sst() { # five weeks
	coordinate time "days since 2024-01-01" $(seq 0 35)
	coordinate lat degrees_north 50 51
	coordinate lon degrees_east 3 4 5
	counting sst float32 36,2,3 --dims time,lat,lon
	counting land int8 2,3 --dims lat,lon
	drx fill land --value 0 --section 0,:
}

era() {
	create era --dataset
	coordinate era/time "hours since 2024-01-01" $(seq 0 48)
	coordinate era/lat degrees_north $(seq -70 20 70)
	coordinate era/lon degrees_east $(seq 0 45 315)
	counting era/t2m float32 49,8,8 --dims time,lat,lon
}

sales() {
	awk 'BEGIN { print "date,store,item,sales"; for (d = 1; d <= 31; d++) for (s = 1; s <= 4; s++) for (i = 1; i <= 2; i++)
		printf "2013-01-%02d,%d,%d,%d\n", d, s, i, d + s + i }' >sales.csv
}

sales_array() {
	sales
	drx append sales --coords date,store,item --value sales --create sales.csv --quiet
}

items() { printf 'item,category\n1,food\n2,drink\n' >items.csv; }

# scene NAME SIZE: hyperspectral, of three materials and 36 bands, with its truth in NAME-truth.
scene() {
	awk 'BEGIN { print "wavelength,Oak leaf,soil,water"; for (b = 0; b < 36; b++)
		printf "%d,%.3f,%.3f,%.3f\n", 400 + 50 * b, 0.3 + 0.2 * sin(b / 3), 0.2 + b / 60, 0.4 * exp(-b / 5) }' >minerals.csv
	cp minerals.csv crops.csv
	drx hyper synth "$1-truth" --spectra minerals.csv --lines "$2" --samples "$2" --patch 9 --mixing 3 --snr 40 --seed 2 --quiet
	drx cp "$1-truth/scene" "$1" --quiet
}

scenes() {
	scene salinas 64
	drx export salinas-truth/classes labels.npy --quiet
	drx export salinas-truth/classes labels.png --as uint8 --quiet
	drx export salinas-truth/classes salinas_gt.npy --quiet
	drx fill salinas-truth/classes --value 0 --section 2:,:
	drx export salinas-truth/classes spoilt.png --as uint8 --quiet
	cp spoilt.png planes.png
	drx cp salinas airport --quiet
	drx cp salinas scene --quiet
	drx read salinas-truth/abundances -o truth.npy --quiet
	# An image and a spectral library of ENVI: text, and numbers without a header.
	drx read salinas -o numbers.npy --quiet
	tail -c +129 numbers.npy >jasper
	envi 64 64 36 bip "wavelength = { $(seq -s, 400 50 2150) }" >jasper.hdr
	drx hyper endmembers salinas --method atgp --count 3 -o E.json --quiet
	drx hyper abundance salinas --endmembers E.json -o abundance --quiet >log
	cp minerals.csv jasper.csv
	tail -c $((3 * 36 * 4)) jasper >usgs.sli
	envi 36 3 1 bsq "file type = ENVI Spectral Library" "spectra names = { Oak leaf, soil, water }" "wavelength = { $(seq -s, 400 50 2150) }" >usgs.hdr
}

envi() { # SAMPLES LINES BANDS INTERLEAVE LINE...
	printf 'ENVI\nsamples = %d\nlines = %d\nbands = %d\ninterleave = %s\n' "$1" "$2" "$3" "$4"
	shift 4
	printf 'header offset = 0\ndata type = 4\nbyte order = 0\n'
	printf '%s\n' "$@"
}

npy() { # NAME TYPE EXTENTS
	counting npy-array "$2" "$3"
	drx read npy-array -o "$1" --quiet
	drx rm npy-array --quiet
}

copied() {
	for name; do cp -r "$base/$name"* .; done
}

case $verb in
'') radar && weather && sales_array && mkdir hyper && cd hyper && scenes ;;
adddim | addr | advise | attr | compact | convert | copy | cp | diff | export | extend | info | log | map | mv | pack) copied radar ;;
read | recompress | recover | rename | reserve | rm | shrink | unpack | verify | view | watch | write | sections) copied radar ;;
esac
case $verb in
compact | copy | cp | cut | diff | export | extend | info | mv | pack | recompress | rename | rm | shrink | sort | verify | write) copied weather ;;
esac
case $verb in
export) counting mask int32 4,5 ;;
advise) echo '{"op":"read","box":[1,300,300],"count":4}' >radar.access ;;
append)
	cp "$pictures"/radar_03[345]0.png "$pictures"/radar_0400.png .
	npy yesterday.npy float64 2,5
	counting A float64 4,5
	for month in january february march; do counting $month float64 3,4 --dims time,x; done
	drx convert march --quiet
	sales
	printf 'time,station,temp,rain\n2024-01-01,x,1.5,0\n2024-01-01,y,2.5,7\n' >rows.csv
	printf 'country,province,lat,long,1/22/20,1/23/20\nKorea,,36,128,1,2\nChina,Hubei,31,112,444,449\n' >cases.csv
	;;
coarsen) era && drx shrink era --dim time --by 1 --low --quiet ;;
copy)
	drx copy radar other --fill 0 --section :,:20,:20 --quiet
	copied sales
	counting field float32 40,50
	counting A float64 4,5,6
	;;
cp) mkdir -p mnt/backup ;;
cut) counting A float64 4,9 --dims y,x && counting weather/level int8 3 --dims station && printf 'x\ny\nz\n' | drx labels weather/level --dim station --set-from - --quiet ;;
diff) counting monday float32 9 && counting tuesday float32 9 && drx cp weather before && drx cp weather after ;;
doctor) mkdir -p mnt/a net/data && ln -s a mnt/b ;;
fill) counting A float64 9,5 && drx extend A --dim 0 --by 5 --low --quiet && copied sales ;;
hyper*) cp -r "$base"/hyper/* . && { [ "$verb" = hyper-score ] || drx rm abundance --quiet; } ;;
labels) copied sales && items && counting A float64 2 --dims unit ;;
ls) mkdir data && counting data/A int8 3 ;;
rm) drx cp weather weather.drx --quiet ;;
mv) mkdir archive ;;
read) counting A float64 4,5 && copied sales ;;
regrid)
	era
	create stations --dataset
	coordinate stations/lat degrees_north 10 20 30
	coordinate stations/lon degrees_east 10 20 30
	create buoy --dataset
	coordinate buoy/time "hours since 2024-01-01" 0 3 9 50
	counting buoy/t float64 4 --dims time
	;;
reserve) npy one.npy uint16 420,720 && npy two.npy uint16 420,720 ;;
shrink) counting A float64 4,5 ;;
sort) copied sales ;;
stats) copied sales && items && drx labels sales --dim item --level category=items.csv && sst && copied weather ;;
watch) for part in 1 2 3 4 5 6 7 8 9; do drx attr radar part=$part --quiet; done ;;
unpack) drx pack radar radar.pack --quiet && drx rm radar --quiet && copied weather && mkdir archive && drx pack weather archive/weather.pack --quiet && drx rm weather ;;
view)
	copied sales
	counting anomaly float32 4,5 && counting monday float32 4,5 && counting tuesday float32 4,5
	counting scene uint8 40,5,6 --dims band,y,x
	counting A float32 13,9,9 --dims time,y,x
	;;
write)
	npy in.npy float64 2,3
	counting A float64 9,9 && drx extend A --dim 0 --by 5 --low --quiet
	drx export radar image.png --section 0,:100,:100 --quiet
	;;
esac
